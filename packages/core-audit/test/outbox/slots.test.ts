import { expect, test } from 'vitest'
import { createSlots, type Slot, type Slots } from '../../src/outbox/slots.ts'

/** Takes slots for a destination until it is full. */
function takeAll(slots: Slots, destination: string): Slot[] {
  const taken: Slot[] = []
  while (!slots.full.includes(destination)) taken.push(slots.take(destination))
  return taken
}

test('a single destination can have all slots', () => {
  expect(takeAll(createSlots(10), 'a')).toHaveLength(10)
})

test('a destination has a slot even if others have all of them', () => {
  const slots = createSlots(10)
  takeAll(slots, 'a')
  expect(takeAll(slots, 'b')).toHaveLength(5)
})

test.each([
  [2, 5],
  [3, 3],
  [10, 1],
  [25, 1],
])('%i destinations have %i of 10 slots each', (destinationCount, slotCount) => {
  const slots = createSlots(10)
  const names = Array.from({ length: destinationCount }, (_, number) => `destination ${number}`)
  const first = names.map((name) => slots.take(name))
  expect(names.map((name) => 1 + takeAll(slots, name).length)).toEqual(names.map(() => slotCount))
  expect(first.some(({ isSurplus }) => isSurplus)).toBe(false)
})

test('slots beyond the share of a destination are surplus until they are free', () => {
  const slots = createSlots(4)
  const [first, second, third] = takeAll(slots, 'a')
  const other = slots.take('b')
  expect(first?.isSurplus).toBe(true)
  first?.free()
  expect(second?.isSurplus).toBe(true)
  second?.free()
  expect(third?.isSurplus).toBe(false)
  other.free()
  expect(takeAll(slots, 'a')).toHaveLength(2)
})

test('a failing destination has one slot, and the others share without it, until an attempt succeeds', () => {
  const slots = createSlots(10)
  const [failing, ...others] = takeAll(slots, 'failing')
  failing?.record('failed')
  expect(failing?.isSurplus).toBe(true)
  for (const slot of others) slot.free()
  expect(failing?.isSurplus).toBe(false)
  expect(slots.full).toEqual(['failing'])
  expect(takeAll(slots, 'working')).toHaveLength(10)
  failing?.record('succeeded')
  expect(takeAll(slots, 'failing')).toHaveLength(4)
})

test('a destination without slots is forgotten', () => {
  const slots = createSlots(2)
  const slot = slots.take('a')
  slot.record('failed')
  slot.free()
  expect(takeAll(slots, 'a')).toHaveLength(2)
})
