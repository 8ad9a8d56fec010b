import { type Bell, sql } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import type { HealthCheck, Worker } from '@vertical-kit/core-audit/host'
import {
  type ClaimedScan,
  type ClaimScan,
  claimScan,
  nextScanAt,
  noAuthor,
  postponeScan,
  type ScanKind,
} from '../commands/claim-scan.ts'
import { finishScan } from '../commands/finish-scan.ts'
import type { AttachmentsConfig } from '../config.ts'
import type { ObjectStorage } from '../storage/object-storage.ts'
import type { ScanFile, ScanVerdict } from './scanner.ts'

export interface ScanningOptions {
  readonly database: Database
  readonly config: AttachmentsConfig
  readonly storage: ObjectStorage
  readonly scan: ScanFile
  /** Rings when an upload of this host waits for a scan. */
  readonly bell: Bell
}

/** The time between two looks for files that other hosts have completed, or whose pause has ended. */
const intervalMs = 5_000

/** The number of files that one host scans at the same time: of all users, and of one, so that there is a place for others. */
const maxAtOnce = 4
const maxPerUser = 3

/** The time after the time limit of a scan in which its host stores the result, before another host claims the file. */
const marginMs = 30_000

/** The pause after a failed attempt. It doubles up to the longest pause. */
const firstPauseMs = 5_000
const longestPauseMs = 10 * 60_000

/** From this attempt on, the health check reports a file that is still not scanned. */
const reportedAttempts = 3

/** The health check reports files that no host has scanned for this time after they were due. */
const lateSeconds = 15 * 60

/** Creates the worker that scans completed uploads. No connection or transaction is open during a scan. */
export function createScanWorker(options: ScanningOptions): Worker {
  const { database, config, bell } = options
  const lastAuthors = { first: noAuthor, repeated: noAuthor }
  return {
    name: 'attachments.scanning',
    intervalMs,
    bell,
    dueAt: nextScanAt,
    keepsTenantOpen: true,
    async runOnce(signal, logger) {
      const running = new Map<Promise<void>, ClaimedScan>()
      const claimNext = async (wanted: ScanKind): Promise<ClaimedScan | undefined> => {
        const scans = [...running.values()]
        const counts = Map.groupBy(scans, ({ attachment }) => attachment.createdByUserId)
        const fullAuthors = [...counts].flatMap(([author, own]) => (own.length >= maxPerUser ? [author] : []))
        // One place prefers repeated attempts: they start although others upload, and leave the other places to first attempts.
        const isRepeating = scans.some(({ kind }) => kind === 'repeated')
        const preferred = isRepeating ? 'first' : wanted
        const claimMs = config.scanTimeoutMs + marginMs
        const claim: ClaimScan = { claimMs, preferred, lastAuthors, fullAuthors }
        const claimed = await database.statement((tx) => claimScan(tx, claim))
        if (claimed !== undefined) lastAuthors[claimed.kind] = claimed.attachment.createdByUserId
        return claimed
      }
      const startDue = async (): Promise<void> => {
        let wanted: ScanKind = 'repeated'
        while (running.size < maxAtOnce && !signal.aborted) {
          const claimed = await claimNext(wanted)
          if (claimed === undefined) return
          // No repeated attempt was due. This search looks at each user with a file that waits for one.
          if (claimed.kind === 'first') wanted = 'first'
          const scan: Promise<void> = scanAndStore(options, claimed, { signal, logger }).finally(() => {
            running.delete(scan)
          })
          running.set(scan, claimed)
        }
      }
      try {
        await startDue()
        while (running.size > 0) {
          // A slow scan does not delay the files that arrive in the meantime.
          await untilFirst([...running.keys()], bell)
          await startDue().catch((error: unknown) => {
            if (running.size === 0) throw error
            logger?.warn({ err: error }, 'The next file for the malware scanner could not be claimed.')
          })
        }
      } finally {
        await Promise.all(running.keys())
      }
    },
  }
}

/** Resolves when one of the scans has ended, when the bell rings, or after the interval of the worker. */
async function untilFirst(scans: readonly Promise<void>[], bell: Bell): Promise<void> {
  const woken = Promise.withResolvers<void>()
  const timer = setTimeout(woken.resolve, intervalMs)
  const stopListening = bell.listen(woken.resolve)
  await Promise.race([woken.promise, ...scans])
  clearTimeout(timer)
  stopListening()
}

interface Cycle {
  readonly signal: AbortSignal
  readonly logger: Parameters<Worker['runOnce']>[1]
}

/** Scans a file and stores the verdict. If the verdict is unknown, the file is claimed again after a pause. Never rejects. */
async function scanAndStore(options: ScanningOptions, claimed: ClaimedScan, cycle: Cycle): Promise<void> {
  const { database, config } = options
  const { signal, logger } = cycle
  const { attachment, attempt } = claimed
  const { id } = attachment
  try {
    const verdict = await scanOne(options, claimed, signal)
    await database.transaction((tx) => finishScan(tx, config, { id, verdict }))
    if (verdict.isClean) return
    logger?.warn({ attachmentId: id, finding: verdict.finding }, 'A file is quarantined.')
  } catch (error) {
    const delayMs = Math.min(firstPauseMs * 2 ** (attempt - 1), longestPauseMs)
    const pause = { id, delayMs: signal.aborted ? 0 : delayMs, isAttempt: !signal.aborted }
    // Without the database, the claim ends by itself.
    await database.statement((tx) => postponeScan(tx, pause)).catch(() => {})
    if (signal.aborted) return
    logger?.warn({ err: error, attachmentId: id, attempt }, 'A file could not be scanned.')
  }
}

/** Resolves with the verdict. Rejects if the result is unknown: the store or the scanner failed, or was too slow. */
async function scanOne(
  { config, storage, scan }: ScanningOptions,
  { attachment, sealAttempt }: ClaimedScan,
  stopping: AbortSignal,
): Promise<ScanVerdict> {
  const { id, fileName, contentType, sizeBytes } = attachment
  const ended = new AbortController()
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(config.scanTimeoutMs), ended.signal])
  signal.throwIfAborted()
  let readBytes = 0
  async function* body(): AsyncGenerator<Uint8Array> {
    for await (const chunk of await storage.read({ id, sealAttempt }, signal)) {
      readBytes += chunk.byteLength
      yield chunk
    }
    if (readBytes !== sizeBytes) throw new Error(`The store sent ${readBytes} of ${sizeBytes} bytes.`)
  }
  try {
    const file = { id, fileName, contentType, sizeBytes, body: body() }
    const verdict = await untilAborted(scan(file, signal), signal)
    if (verdict.isClean && readBytes !== sizeBytes) {
      throw new Error(`The scanner read ${readBytes} of ${sizeBytes} bytes.`)
    }
    return verdict
  } finally {
    // Ends the response of the store if the scanner has not read all of it, and removes the listeners of the signal.
    ended.abort()
  }
}

/** Rejects when the signal aborts, even if the work goes on. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })
}

/**
 * Reports Degraded while files cannot be scanned. `pendingCount` is the number of files that wait for a scan, and
 * `oldestPendingAgeSeconds` how long the first of them has been due.
 */
export function scanHealth({ database }: Pick<ScanningOptions, 'database'>): HealthCheck {
  return {
    name: 'attachmentsScanning',
    async check() {
      const [row] = await database.read((db) =>
        db.execute<ScanCounts>(sql`
          select count(*)::int as "pendingCount",
            (count(*) filter (where scan_attempts >= ${reportedAttempts}))::int as "failedCount",
            floor(extract(epoch from now() - min(scan_due_at) filter (where scan_due_at <= now())))::int
              as "oldestPendingAgeSeconds"
          from attachments.attachments
          where status = 'scanning'`),
      )
      const counts = row ?? { pendingCount: 0, failedCount: 0, oldestPendingAgeSeconds: null }
      const detail = problemIn(counts)
      if (detail === undefined) return { status: 'Healthy', ...counts }
      return { status: 'Degraded', detail, ...counts }
    },
  }
}

type ScanCounts = { pendingCount: number; failedCount: number; oldestPendingAgeSeconds: number | null }

function problemIn({ failedCount, oldestPendingAgeSeconds }: ScanCounts): string | undefined {
  if (failedCount > 0) return 'The malware scanner fails for some files, which stay unavailable. See the log.'
  if ((oldestPendingAgeSeconds ?? 0) <= lateSeconds) return undefined
  return 'Some files have waited for the malware scanner for more than 15 minutes: it is too slow, or no host uses it.'
}
