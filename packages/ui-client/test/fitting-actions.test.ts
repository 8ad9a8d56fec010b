import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fittingCount, likelyActions, mainRefusal } from '../src/elements/document-actions/fitting-actions.ts'
import type { DocumentAction } from '../src/index.ts'

const action = (code: string, change: Partial<DocumentAction> = {}): DocumentAction => ({
  code,
  label: code,
  description: '',
  icon: '',
  kind: 'Secondary',
  executionKind: 'Command',
  order: 0,
  confirmation: null,
  target: null,
  isAllowed: true,
  disabledReasons: [],
  ...change,
})

const primary = { kind: 'Primary' } as const
const disabled = { isAllowed: false }
const codes = (actions: readonly DocumentAction[]) => actions.map(({ code }) => code).join('')

describe('the likely actions', () => {
  it.each([
    ['abc', [action('a'), action('b'), action('c'), action('d')]],
    ['cab', [action('a'), action('b'), action('c', primary), action('d')]],
    ['b', [action('a', disabled), action('b'), action('c', { ...primary, ...disabled })]],
    ['b', [action('a', { kind: 'Dangerous' }), action('b', primary)]],
    ['', [action('a', disabled)]],
  ])(
    'are "%s": available ones that are not dangerous, primary ones first, at most three',
    (expected, actions) => {
      expect(codes(likelyActions(actions))).toBe(expected)
    },
  )
})

describe('the main reason', () => {
  it('is that of the first primary action if no action is available', () => {
    const actions = [action('a', disabled), action('b', { ...primary, ...disabled })]
    expect(mainRefusal(actions)?.code).toBe('b')
    expect(mainRefusal([action('a', disabled)])?.code).toBe('a')
    expect(mainRefusal([...actions, action('c', { kind: 'Dangerous' })])).toBeUndefined()
  })
})

describe('the buttons in a bar', () => {
  const room = (available: number, isMoreNeeded: boolean) => ({
    ...{ available, isMoreNeeded, gap: 8, moreButton: 50 },
    buttons: [100, 100, 100],
  })

  it.each([
    [374, 3],
    [373, 2],
    [266, 2],
    [265, 1],
    [158, 1],
    [157, 0],
    [0, 0],
  ])('with a width of %i pixels are the first %i, if the menu has other actions', (available, expected) => {
    expect(fittingCount(room(available, true))).toBe(expected)
  })

  it.each([
    [316, 3],
    [315, 2],
    [265, 1],
  ])(
    'with a width of %i pixels are the first %i, if the menu has no other actions',
    (available, expected) => {
      expect(fittingCount(room(available, false))).toBe(expected)
    },
  )

  it('never exceed the available width, unless the "More" button is the only button', () => {
    const widths = fc.array(fc.integer({ min: 20, max: 200 }), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(
        widths,
        fc.integer({ max: 1500, min: 0 }),
        fc.boolean(),
        (buttons, available, isMoreNeeded) => {
          const count = fittingCount({ available, gap: 8, moreButton: 50, buttons, isMoreNeeded })
          const hasMore = isMoreNeeded || count < buttons.length
          const used = buttons.slice(0, count).reduce((sum, width) => sum + width + 8, hasMore ? 50 : -8)
          expect(count === 0 || used <= available).toBe(true)
        },
      ),
    )
  })
})
