import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeAnnouncement, encodeAnnouncements } from '../../src/realtime/announcement.ts'

const changes = fc
  .array(fc.tuple(fc.uuid(), fc.maxSafeNat()), { maxLength: 1_000 })
  .map((entries) => new Map(entries))

test('several announcements together contain all versions, and each is shorter than 8,000 bytes', () => {
  fc.assert(
    fc.property(changes, (given) => {
      const payloads = encodeAnnouncements({ versions: given, objects: new Set() })
      for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000)
      const decoded = payloads.flatMap((payload) => [...(decodeAnnouncement(payload)?.versions ?? [])])
      expect(decoded).toEqual([...given])
    }),
  )
})

test('objects and versions share announcements', () => {
  const user = crypto.randomUUID()
  const invoice = `Document/trade.sales_invoice/${crypto.randomUUID()}`
  const announced = { versions: new Map([[user, 7]]), objects: new Set([invoice]) }
  const [payload = ''] = encodeAnnouncements(announced)
  expect(decodeAnnouncement(payload)).toEqual(announced)
})

test('versions that fit into one announcement are not split', () => {
  const users = (count: number) => ({
    versions: new Map(
      Array.from({ length: count }, () => [crypto.randomUUID(), Number.MAX_SAFE_INTEGER] as const),
    ),
    objects: new Set<string>(),
  })
  // Each user needs 55 bytes and a comma.
  expect(encodeAnnouncements(users(142))).toHaveLength(1)
  expect(encodeAnnouncements(users(143))).toHaveLength(2)
  expect(encodeAnnouncements(users(0))).toEqual([])
})

test.each([
  '',
  'null',
  '1',
  '[1]',
  '"x"',
  '{',
  '{"a":1}',
  '{"019a0000-0000-7000-8000-000000000000":1.5}',
  '{"Paper/a/019a0000-0000-7000-8000-000000000000":1}',
  '{"Document/a/b":1}',
])('the payload %j is not a valid announcement', (payload) => {
  expect(decodeAnnouncement(payload)).toBeUndefined()
})
