import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { describeCommandFailure } from '../../../host/command-failure.ts'
import { parseCommandLine } from '../../../host/parse-command-line.ts'
import { type AuditCommand, type AuditCommandContext, auditExitCodes } from '../../audit-command.ts'
import { type AuditAnchor, findAnchors } from '../anchor.ts'
import { idAt } from '../event-ids.ts'
import { describeDifference, describeProgress, describeResult } from './report.ts'
import { verifySeals } from './verify-seals.ts'

interface VerifyOptions {
  /** Each is an anchor or the path of a file. */
  readonly anchors: readonly string[]
  readonly fromSequence: number
  readonly droppedBefore: number | null
}

/** Maximum number of differences that are printed. */
const maxShown = 20

/** The command `audit verify`. */
export const verifyCommand: AuditCommand = {
  help: `  verify                    compare the events with their seals; name each seal that differs, and its first event
    --anchor <anchor>       also compare with an anchor from a log or bucket, such as 12:9f86d0…, or with all anchors
                            in a file; can be repeated. Without it, nobody notices if all seals were replaced
    --from <number>         begin with this seal, for example after the last anchor that was verified
    --dropped-before <year> the years before were dropped with their partitions: verify only the chain of their seals`,
  parse(argv) {
    const options = parseVerifyOptions(argv)
    return typeof options === 'string' ? options : (context) => verify(context, options)
  },
}

function parseVerifyOptions(argv: readonly string[]): VerifyOptions | string {
  try {
    const { values } = parseCommandLine({
      args: [...argv],
      options: {
        anchor: { type: 'string', multiple: true },
        from: { type: 'string' },
        'dropped-before': { type: 'string' },
      },
    })
    const { anchor: anchors = [], from = '1', 'dropped-before': year } = values
    if (!/^[1-9]\d{0,14}$/.test(from)) return '--from: expected the number of a seal'
    if (year !== undefined && !/^[1-9]\d{3}$/.test(year)) return '--dropped-before: expected a year'
    return { anchors, fromSequence: Number(from), droppedBefore: year === undefined ? null : Number(year) }
  } catch (error) {
    return error instanceof Error ? error.message : 'The command line cannot be read.'
  }
}

async function verify(
  { database, write, writeError }: AuditCommandContext,
  { anchors: sources, fromSequence, droppedBefore }: VerifyOptions,
): Promise<number> {
  const anchors: AuditAnchor[] = []
  for (const source of sources) {
    const found = await readAnchors(source)
    if (typeof found === 'string') {
      writeError(found)
      return auditExitCodes.usage
    }
    for (const anchor of found) anchors.push(anchor)
  }
  let differenceCount = 0
  let failure: unknown
  const result = await verifySeals(database, {
    ...{ fromSequence, anchors },
    droppedBelowId: droppedBefore === null ? null : idAt(Date.UTC(droppedBefore, 0)),
    onProgress: (progress) => writeError(describeProgress(progress)),
    onDifference(difference) {
      differenceCount += 1
      if (differenceCount <= maxShown) write(describeDifference(difference))
    },
  }).catch((error: unknown) => {
    // A difference that was found is the result, also if the connection is lost afterwards.
    if (differenceCount === 0) throw error
    failure = error
    return undefined
  })
  if (differenceCount > maxShown) write(`… and ${differenceCount - maxShown} more differences.`)
  if (result === undefined) {
    write('The verification failed before its end, so there can be more differences.')
    for (const line of describeCommandFailure(failure)) writeError(line)
    return auditExitCodes.different
  }
  for (const line of describeResult(result, { anchors, fromSequence, differenceCount })) write(line)
  if (differenceCount > 0) return auditExitCodes.different
  return result.newest === null ? auditExitCodes.failed : auditExitCodes.done
}

/** Returns the anchors of a file, or the given anchor itself. Returns a text that describes the problem if there is none. */
async function readAnchors(source: string): Promise<readonly AuditAnchor[] | string> {
  const given = findAnchors(source)
  if (given.length > 0) return given
  const byText = new Map<string, AuditAnchor>()
  try {
    for await (const line of createInterface({ input: createReadStream(source) })) {
      for (const anchor of findAnchors(line)) byText.set(anchor.text, anchor)
    }
  } catch {
    return /^\d+:/.test(source)
      ? `--anchor: ${source} is no anchor: the hash after the colon has 64 hexadecimal digits.`
      : `--anchor: ${source} is neither an anchor nor a file that can be read.`
  }
  return byText.size === 0 ? `--anchor: ${source} contains no anchor.` : [...byText.values()]
}
