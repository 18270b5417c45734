import { describe, expect, it } from 'vitest';
import { crossings } from './crossings';
import { assignLayers } from './layers';
import type { Level } from './level';
import { orderLayers } from './order';
import { makeSlots, type Slots } from './slots';

/** Items of one size, one value each. */
function level(count: number, edges: [number, number][]): Level {
  return {
    ...{ count, entries: 0, exits: 0, late: new Uint8Array(count) },
    w: new Float64Array(count).fill(50),
    h: new Float64Array(count).fill(20),
    netSource: Int32Array.from({ length: count }, (_, i) => i),
    netDx: new Float64Array(count),
    targetNet: Int32Array.from(edges, ([src]) => src),
    targetItem: Int32Array.from(edges, ([, dst]) => dst),
    targetDx: new Float64Array(edges.length)
  };
}

function slotsOf(count: number, edges: [number, number][], bends = 1000): Slots {
  const given = level(count, edges);
  return makeSlots(given, assignLayers(given), { bends });
}

describe('assignLayers', () => {
  it('takes the longest path and reverses the edge that closes a cycle', () => {
    const { layer, back } = assignLayers(
      level(4, [
        [0, 1],
        [1, 2],
        [0, 2],
        [2, 0],
        [2, 3]
      ])
    );
    expect([...layer]).toEqual([0, 1, 2, 3]);
    expect([...back]).toEqual([0, 0, 0, 1, 0]);
  });

  it('does not mind an edge given before those that make it a back edge', () => {
    const { layer, back } = assignLayers(
      level(3, [
        [2, 0],
        [0, 1],
        [1, 2]
      ])
    );
    expect([...layer]).toEqual([0, 1, 2]);
    expect([...back]).toEqual([1, 0, 0]);
  });
});

describe('orderLayers', () => {
  it('undoes the crossings that can be undone', () => {
    const slots = slotsOf(6, [
      [0, 5],
      [1, 4],
      [2, 3]
    ]);
    expect(crossings(slots)).toBe(3);
    orderLayers(slots);
    expect(crossings(slots)).toBe(0);
  });

  it('orders equals by argument place', () => {
    const slots = slotsOf(4, [
      [2, 3],
      [0, 3],
      [1, 3]
    ]);
    orderLayers(slots);
    expect([...slots.order.slice(0, 3)]).toEqual([2, 0, 1]);
  });
});

describe('makeSlots', () => {
  const edges: [number, number][] = [
    [0, 1],
    [1, 2],
    [2, 3],
    [0, 3],
    [0, 2],
    [1, 3]
  ];

  it('shares one way among the edges of a value', () => {
    const { trunks } = slotsOf(4, edges);
    expect([...trunks.downLength]).toEqual([2, 1, 0, 0]);
    expect(trunks.bends).toBe(3);
  });

  it('leaves out the longest ways past the budget', () => {
    const { trunks } = slotsOf(4, edges, 2);
    expect([...trunks.downLength]).toEqual([0, 1, 0, 0]);
  });
});
