import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalizeFileName } from '../../src/policy.ts'
import { attachmentDisposition } from '../../src/storage/content-disposition.ts'

test.each([
  ['plain.txt', `attachment; filename="plain.txt"; filename*=UTF-8''plain.txt`],
  ['with space.txt', `attachment; filename="with space.txt"; filename*=UTF-8''with%20space.txt`],
  ['naïve €.txt', `attachment; filename="na_ve _.txt"; filename*=UTF-8''na%C3%AFve%20%E2%82%AC.txt`],
  ['a"b;c.txt', `attachment; filename="a_b;c.txt"; filename*=UTF-8''a%22b%3Bc.txt`],
  ['100%41.txt', `attachment; filename="100_41.txt"; filename*=UTF-8''100%2541.txt`],
  ["it's (1)*.txt", `attachment; filename="it's (1)*.txt"; filename*=UTF-8''it%27s%20%281%29%2A.txt`],
  ['👩💻.txt', `attachment; filename="__.txt"; filename*=UTF-8''%F0%9F%91%A9%F0%9F%92%BB.txt`],
])('the file name %s results in the header %s', (name, header) => {
  expect(attachmentDisposition(name)).toBe(header)
})

/** Matches a complete `Content-Disposition` header of RFC 6266 with an extended value of RFC 8187. */
const grammar =
  /^attachment; filename="([^"\\\p{Cc}]*)"; filename\*=UTF-8''((?:[\w!#$&+.^`|~-]|%[\dA-F]{2})+)$/u

const fileName = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 60 })
  .map((raw) => {
    try {
      return normalizeFileName(raw)
    } catch {
      return null
    }
  })
  .filter((name) => name !== null)

test('filename* contains the exact name, and filename contains one ASCII character per code point', () => {
  fc.assert(
    fc.property(fileName, (name) => {
      const [, fallback = '', extended = ''] = grammar.exec(attachmentDisposition(name)) ?? []
      expect(decodeURIComponent(extended)).toBe(name)
      expect(fallback).toMatch(/^[\x20-\x7e]+$/)
      expect(fallback).toHaveLength([...name].length)
    }),
    { numRuns: 1_000 },
  )
})
