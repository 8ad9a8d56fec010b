import { expect, test } from 'vitest'
import { check } from './fixture-tree.ts'

test('a tree that follows the plan has no findings', () => {
  expect(check({})).toBe('')
})

test('a file with a syntax error causes a finding', () => {
  expect(check({ [`packages/notes/src/policy.ts`]: 'export const =' })).toMatch(
    /^packages\/notes\/src\/policy\.ts: does not parse: /,
  )
})
