import { describe, expect, test } from 'vitest'
import { ratioOf } from '../src/compare.ts'
import { toRow } from '../src/finding.ts'
import { median, percentile, summarize } from '../src/statistics.ts'

describe('statistics', () => {
  test.each([
    [[3], 3],
    [[9, 1, 5], 5],
    [[4, 1, 3, 2], 2.5],
    [[], Number.NaN],
  ])('the median of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected)
  })

  test.each([
    [0, 1],
    [0.25, 2],
    [0.5, 3],
    [0.99, 5],
    [1, 5],
  ])('a percentile is the value that the share %d does not exceed', (share, expected) => {
    expect(percentile([5, 3, 1, 4, 2], share)).toBe(expected)
  })

  test('a summary contains the median and the quartiles', () => {
    expect(summarize([10, 1, 2, 3, 4])).toEqual({ median: 3, low: 2, high: 4 })
  })

  test('one disturbed round does not change the ratio of two sides', () => {
    const rounds = { a: [100, 110, 10, 90], b: [50, 55, 50, 45] }
    const finding = ratioOf({ name: 'case', labels: ['host', 'bare'], unit: '/s', rounds })
    expect(finding).toMatchObject({ median: 2, unit: '×', sides: [{ median: 95 }, { median: 50 }] })
  })
})

describe('a row of the table', () => {
  const finding = { case: 'case', unit: 'MB', sides: [], median: 110, low: 100, high: 120 }

  test.each([
    [{ most: 110 }, '≤ 110', 'yes'],
    [{ most: 100 }, '≤ 100', 'over by 10'],
    [{ least: 110 }, '≥ 110', 'yes'],
    [{ least: 1_210 }, '≥ 1,210', 'short by 1,100'],
  ])('compares the median with the target %j', (bound, target, met) => {
    expect(toRow({ ...finding, bound })).toMatchObject({ measured: '110 MB', spread: '100–120', target, met })
  })

  test('has no verdict without a target', () => {
    expect(toRow(finding)).toMatchObject({ target: '', met: '' })
  })
})
