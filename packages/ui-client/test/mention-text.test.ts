import fc from 'fast-check'
import { expect, test } from 'vitest'
import { partsOf, withName, withNames, withTokens } from '../src/stores/mention-text.ts'

const carl = '019a0000-0000-7000-8000-000000000001'
const carla = '019a0000-0000-7000-8000-000000000002'
const zoe = '019a0000-0000-7000-8000-000000000003'
const anne = '019a0000-0000-7000-8000-000000000004'
const names = new Map([
  [carl, 'Carl'],
  [carla, 'Carl Clerk'],
  [zoe, 'Zoë (A+B) $& [x]'],
  [anne, 'Anne-Marie Roux'],
])

test.each<[string, string]>([
  ['Please @Carl, call', `Please @[${carl}], call`],
  ['@Carl Clerk and @Carl', `@[${carla}] and @[${carl}]`],
  ['@Zoë (A+B) $& [x]!', `@[${zoe}]!`],
  ['@Anne-Marie Roux, @Anne', `@[${anne}], @Anne`],
  ['@Carla Carl @carl', '@Carla Carl @carl'],
])('an editor shows %j for the text %j', (shown, text) => {
  expect(withTokens(shown, names)).toBe(text)
  expect(withNames(text, names)).toBe(shown)
})

test('users with the same name have different names in an editor', () => {
  const users = [carl, carla, zoe].map((userId) => ({ userId, displayName: 'Jan Novák' }))
  const known = users.reduce(withName, new Map())
  expect([...known.values()]).toEqual(['Jan Novák', 'Jan Novák (2)', 'Jan Novák (3)'])
  expect(users.reduce(withName, known)).toBe(known)
  const text = `@[${carla}], @[${carl}] and @[${zoe}]`
  expect(withTokens(withNames(text, known), known)).toBe(text)
  const renamed = withName(known, { userId: carla, displayName: 'Jana' })
  expect([...renamed.values()]).toEqual(['Jan Novák', 'Jana', 'Jan Novák (3)'])
})

test('tokens of unknown users stay as they are', () => {
  const text = '@[019a0000-0000-7000-8000-00000000000f] @[x]'
  expect(withNames(text, names)).toBe(text)
  expect(withTokens(text, names)).toBe(text)
})

test('an editor shows the same text after its text was stored', () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 5 }),
    fc.constantFrom('@Carl', '@Carl Clerk', '@', ' ', `@[${zoe}]`),
  )
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const shown = withNames(pieces.join(''), names)
      expect(withNames(withTokens(shown, names), names)).toBe(shown)
    }),
  )
})

test('a text is split at mentions of known users, and loses no character', () => {
  const text = `a @[${carl}]@[${carla.toUpperCase()}] b @[${zoe}]`
  const mentions = [carl, carla].map((userId) => ({ userId, displayName: names.get(userId) ?? '' }))
  const parts = partsOf(text, mentions)
  expect(parts.map((part) => part.mention?.userId ?? part.text)).toEqual(['a ', carl, carla, ` b @[${zoe}]`])
  expect(parts.map((part) => part.text).join('')).toBe(text)
  for (const part of parts) expect(text.slice(part.start, part.start + part.text.length)).toBe(part.text)
})
