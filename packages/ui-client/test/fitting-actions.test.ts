import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fittingActions } from '../src/elements/document-actions/fitting-actions.ts'
import type { DocumentAction } from '../src/index.ts'

const action = (code: string, isAllowed = true): DocumentAction => ({
  code,
  label: code,
  description: '',
  icon: '',
  kind: 'Secondary',
  executionKind: 'Command',
  order: 0,
  confirmation: null,
  target: null,
  isAllowed,
  disabledReasons: [],
})

const three = [action('a'), action('b', false), action('c')]
const room = (available: number) => ({ available, gap: 8, moreButton: 50, buttons: [100, 100, 100] })

describe('the buttons in a bar', () => {
  it.each([
    [316, 'abc'],
    [315, 'ac'],
    [266, 'ac'],
    [265, 'a'],
    [158, 'a'],
    [157, ''],
    [0, ''],
  ])(
    'with a width of %i pixels are those of the actions "%s", and available actions have priority',
    (available, expected) => {
      expect([...fittingActions(three, room(available))].toSorted().join('')).toBe(expected)
    },
  )

  it('never exceed the available width, unless the "More" button is the only button', () => {
    const widths = fc.array(fc.integer({ min: 20, max: 200 }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(widths, fc.integer({ min: 0, max: 1500 }), (buttons, available) => {
        const actions = buttons.map((_, index) => action(String(index), index % 3 !== 0))
        const fitting = fittingActions(actions, { available, gap: 8, moreButton: 50, buttons })
        const isAll = fitting.size === actions.length
        const used = buttons.reduce(
          (sum, width, index) => sum + (fitting.has(String(index)) ? width + 8 : 0),
          0,
        )
        expect(fitting.size === 0 || used + (isAll ? -8 : 50) <= available).toBe(true)
      }),
    )
  })
})
