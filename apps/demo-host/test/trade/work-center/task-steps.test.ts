import { expect, test } from 'vitest'
import { taskSteps } from '../../../src/trade/work-center/task-steps.ts'

test.each([
  // What has just begun is a task before it is anything else, so that it is among what was done.
  ['begins', 'open', ['create', 'create']],
  ['begins', 'met', ['create', 'complete']],
  ['begins', 'gone', ['create', 'cancel']],
  // What was taken back and is asked for by now is asked for anew.
  ['ends', 'open', ['cancel', 'create']],
  ['ends', 'met', ['cancel', 'complete']],
  ['ends', 'gone', ['cancel', 'cancel']],
  ['goes on', 'open', ['create']],
  ['goes on', 'met', ['complete']],
  ['goes on', 'gone', ['cancel']],
] as const)('a need that %s and is %s now is written as %j', (turn, need, steps) => {
  expect(taskSteps(turn, need)).toEqual(steps)
})
