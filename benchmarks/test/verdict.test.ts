import { describe, expect, test } from 'vitest'
import { isLoss, sharesOf } from '../src/predecessor/verdict.ts'

const run = (requestsPerSecond: number, cpuMsPerRequest: number) => ({ requestsPerSecond, cpuMsPerRequest })

describe('the comparison with the predecessor', () => {
  test('computes the shares from runs of the same round', () => {
    const shares = sharesOf({
      current: [run(800, 2), run(400, 2.2), run(80, 2)],
      predecessor: [run(1_000, 1), run(500, 1.1), run(100, 1)],
    })
    expect(shares).toEqual({ throughput: 0.8, efficiency: 0.5 })
  })

  test.each([
    ['equal performance', { throughput: 1, efficiency: 1 }, false],
    ['a loss of 25 %', { throughput: 0.75, efficiency: 0.75 }, false],
    ['a loss of 35 %', { throughput: 0.65, efficiency: 0.65 }, true],
    ['a slow machine without more CPU time', { throughput: 0.6, efficiency: 0.95 }, false],
    ['more CPU time with the same throughput', { throughput: 0.9, efficiency: 0.6 }, false],
    ['a long wait without more CPU time', { throughput: 0.4, efficiency: 1 }, true],
  ])('judges %s', (_, shares, expected) => {
    expect(isLoss(shares)).toBe(expected)
  })
})
