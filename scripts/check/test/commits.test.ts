import { expect, test } from 'vitest'
import { subjectProblem } from '../commits.ts'

test.each([
  'Answer 503 at once when the pool is exhausted',
  'Bring back the drafts of an interrupted session',
  "Merge branch 'main'",
])('the subject "%s" is accepted', (subject) => {
  expect(subjectProblem(subject)).toBeUndefined()
})

test.each([
  [`Answer ${'x'.repeat(66)}`, 'has 73 characters; the limit is 72'],
  ['ui-client: stores', 'must begin with a verb and a capital letter'],
  ['Added a test', 'must be imperative: not "Added …"'],
  ['Fixes the lease', 'must be imperative: not "Fixes …"'],
  ['Adding a test', 'must be imperative: not "Adding …"'],
  ['Add a test.', 'must not end with a full stop'],
])('the subject "%s" is rejected', (subject, problem) => {
  expect(subjectProblem(subject)).toBe(problem)
})
