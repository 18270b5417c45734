// What was chosen before and after, as a browser's back and forward.

export class Visited<T> {
  private readonly places: T[] = [];
  private at = -1;

  constructor(private readonly same: (a: T, b: T) => boolean) {}

  /** Remembers a place; what lay ahead is forgotten. */
  visit(place: T): void {
    if (this.at >= 0 && this.same(this.places[this.at], place)) {
      return;
    }
    this.places.splice(this.at + 1, this.places.length, place);
    if (this.places.length > MOST) {
      this.places.shift();
    }
    this.at = this.places.length - 1;
  }

  /** The place so many steps on, which is then where one is; null: there is none. */
  go(delta: number): T | null {
    if (!this.leads(delta)) {
      return null;
    }
    this.at += delta;
    return this.places[this.at];
  }

  leads(delta: number): boolean {
    return this.at + delta >= 0 && this.at + delta < this.places.length;
  }
}

const MOST = 200;
