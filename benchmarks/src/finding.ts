import { type Summary, summarize } from './statistics.ts'

/** The target of a case. */
export type Bound = { readonly least: number } | { readonly most: number }

/** The measured values of one side of a comparison. */
export interface SideResult extends Summary {
  readonly label: string
  readonly unit: string
}

/** The result of one case: a ratio of two sides (unit `×`), or an absolute value without sides. */
export interface Finding extends Summary {
  readonly case: string
  readonly unit: string
  readonly sides: readonly SideResult[]
  /** Absent for a figure that only informs. */
  readonly bound?: Bound
}

/** The unit of ratios. */
export const times = '×'

export interface FigureOptions {
  readonly unit: string
  readonly bound?: Bound
}

/** Summarizes an absolute value that was measured once or several times. Logs it, because a run takes minutes. */
export function toFigure(name: string, values: readonly number[], options: FigureOptions): Finding {
  return logged({ case: name, ...summarize(values), sides: [], ...options })
}

/** Logs a finding and returns it. */
export function logged(finding: Finding): Finding {
  const { case: name, measured, target, met } = toRow(finding)
  console.log(`${name}: ${measured}${target === '' ? '' : ` (target ${target}: ${met})`}`)
  return finding
}

/** A finding as a row of the printed table. */
export interface Row {
  readonly case: string
  readonly measured: string
  readonly spread: string
  readonly sides: string
  readonly target: string
  readonly met: string
}

/** Formats a finding for people. */
export function toRow({ case: name, unit, bound, sides, ...summary }: Finding): Row {
  return {
    case: name,
    measured: `${short(summary.median)} ${unit}`,
    spread: summary.low === summary.high ? '' : `${short(summary.low)}–${short(summary.high)}`,
    sides: sides.map((side) => `${side.label} ${short(side.median)} ${side.unit}`).join(', '),
    target: bound === undefined ? '' : textOf(bound),
    met: bound === undefined ? '' : verdictOf(summary.median, bound),
  }
}

const textOf = (bound: Bound): string =>
  'most' in bound ? `≤ ${bound.most.toLocaleString('en')}` : `≥ ${bound.least.toLocaleString('en')}`

function verdictOf(value: number, bound: Bound): string {
  const lack = 'most' in bound ? value - bound.most : bound.least - value
  if (lack <= 0) return 'yes'
  return 'most' in bound ? `over by ${short(lack)}` : `short by ${short(lack)}`
}

/** Rounds a number to three significant digits. */
export const short = (value: number): string => Number(value.toPrecision(3)).toLocaleString('en')
