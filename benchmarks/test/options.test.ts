import { describe, expect, test } from 'vitest'
import { help, readOptions } from '../src/options.ts'

describe('the options of the bench', () => {
  test('have defaults, and smaller ones for a quick run', () => {
    expect(readOptions([]).plan).toMatchObject({
      documents: 20_000,
      rounds: 5,
      load: { connections: 32, seconds: 5 },
    })
    expect(readOptions(['--', '--quick', '--rounds', '4']).plan).toMatchObject({
      documents: 2_000,
      rounds: 4,
      load: { connections: 32, seconds: 1 },
    })
  })

  test('choose cases by the beginning of their name', () => {
    const { isChosen } = readOptions(['--only', 'list', '--only', 'summary']).plan
    expect(['list notes', 'summary', 'content summary'].map(isChosen)).toEqual([true, true, false])
  })

  test('name the option with a wrong value', () => {
    expect(readOptions(['--growth', '10000,1000000']).growth).toEqual([10_000, 1_000_000])
    expect(() => readOptions(['--growth', '10000,many'])).toThrow(
      '--growth: expected a positive whole number, not many',
    )
    expect(() => readOptions(['--rounds', '0'])).toThrow('--rounds: expected a positive whole number, not 0')
    expect(() => readOptions(['--fast'])).toThrow("'--fast'")
  })

  test('are all explained', () => {
    for (const option of [
      '--peers',
      '--growth SIZES',
      '--profile CASE',
      '--only CASE',
      '--quick',
      '--json FILE',
    ]) {
      expect(help).toContain(`  ${option} `)
    }
  })
})
