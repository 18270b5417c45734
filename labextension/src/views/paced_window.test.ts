import { describe, expect, it } from 'vitest';
import { lostWords, paceWords } from './pace_words';
import { PacedWindow } from './paced_window';

describe('PacedWindow', () => {
  it('is as wide as what passes in five seconds, and then as the whole cell', () => {
    const window = new PacedWindow();
    window.synchronize(400);
    window.pace(50, null);
    expect(window.span).toBe(100);
    expect(window.end()).toBeCloseTo(401.5);
    window.pace(50, { start: 150, end: 400 });
    expect(window.end() - window.span).toBeLessThan(150);
    expect(window.span).toBeLessThan(300);
  });

  it('stays as a person has put it, until it follows again', () => {
    const window = new PacedWindow();
    window.synchronize(100);
    window.pace(10, null);
    window.zoom(0.5, 0.5, window.end());
    window.pace(100, null);
    expect(window.span).toBe(250);
    window.stop(80);
    window.synchronize(200);
    expect(window.end()).toBe(80);
    window.follow();
    window.pace(100, null);
    expect(window.span).toBe(50);
  });
});

describe('paceWords', () => {
  it.each([
    [50, 'modelled time, 50 times slower: 1 s here is 20 ms'],
    [2000, 'modelled time, 2,000 times slower: 1 s here is 500 µs'],
    [1, 'modelled time, as fast as real time: 1 s here is 1 s'],
    [0.2, 'modelled time, 5 times faster: 1 s here is 5 s']
  ])('at a factor of %d', (slower, words) => {
    expect(paceWords({ slower, live: true, now: 0 })).toBe(words);
  });

  it('when nothing runs', () => {
    expect(paceWords({ slower: 50, live: false, now: 12.3 })).toBe('modelled time, 12.3 ms so far');
    expect(paceWords({ slower: null, live: true, now: 0 })).toContain('it moves as soon as');
    expect([lostWords(0), lostWords(1200)]).toEqual(['', '1,200 spans not kept']);
  });
});
