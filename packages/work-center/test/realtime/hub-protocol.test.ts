import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changedMessage, closeMessage, pingMessage, takeRecords } from '../../src/realtime/hub-protocol.ts'
import { createRecordReader } from '../../src/realtime/record-reader.ts'

test('records are encoded in the format of the protocol', () => {
  expect(pingMessage).toBe('{"type":6}\x1e')
  expect(changedMessage(7)).toBe('{"type":1,"target":"workCenterChanged","arguments":[7]}\x1e')
  expect(closeMessage({ allowReconnect: true })).toBe('{"type":7,"allowReconnect":true}\x1e')
  expect(closeMessage({ error: 'Why' })).toBe('{"type":7,"error":"Why"}\x1e')
})

const record = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => !text.includes('\x1e'))

test('complete records are returned in order, regardless of where the text is split', () => {
  fc.assert(
    fc.property(fc.array(record), record, fc.array(fc.nat(40)), (records, tail, cuts) => {
      const reader = createRecordReader(
        { maxMessageBytes: 1_000, maxMessagesPerWindow: 10_000, messageWindowMs: 1_000 },
        () => 0,
      )
      let text = records.map((one) => `${one}\x1e`).join('') + tail
      const found: string[] = []
      for (const length of [...cuts, text.length]) {
        found.push(...(reader.read(text.slice(0, length)) as string[]))
        text = text.slice(length)
      }
      expect(found).toEqual(records)
    }),
  )
})

test('the text after the end of the last record is returned as the start of the next record', () => {
  expect(takeRecords('a\x1e\x1eb')).toEqual({ records: ['a', ''], rest: 'b' })
  expect(takeRecords('a\x1e')).toEqual({ records: ['a'], rest: '' })
})
