import { type Bell, sql } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import type { HealthCheck, Worker } from '@vertical-kit/core-audit/host'
import { type ClaimedScan, claimScan, nextScanAt, postponeScan } from '../commands/claim-scan.ts'
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

/** Creates the worker that scans completed uploads. No connection or transaction is open during a scan. */
export function createScanWorker(options: ScanningOptions): Worker {
  const { database, config, bell } = options
  return {
    name: 'attachments.scanning',
    intervalMs,
    bell,
    dueAt: nextScanAt,
    keepsTenantOpen: true,
    async runOnce(signal, logger) {
      /** The running scans, with the authors of their files. */
      const running = new Map<Promise<void>, string>()
      const claimNext = (): Promise<ClaimedScan | undefined> => {
        const counts = Map.groupBy(running.values(), (author) => author)
        const busyAuthors = [...counts.keys()]
        const fullAuthors = busyAuthors.filter((author) => (counts.get(author)?.length ?? 0) >= maxPerUser)
        const claim = { claimMs: config.scanTimeoutMs + marginMs, busyAuthors, fullAuthors }
        return database.statement((tx) => claimScan(tx, claim))
      }
      const startDue = async (): Promise<void> => {
        while (running.size < maxAtOnce && !signal.aborted) {
          const claimed = await claimNext()
          if (claimed === undefined) return
          const scan: Promise<void> = scanAndStore(options, claimed, { signal, logger }).finally(() => {
            running.delete(scan)
          })
          running.set(scan, claimed.attachment.createdByUserId)
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

/** Reports Degraded while files cannot be scanned. `pendingCount` is the number of files that wait for a scan. */
export function scanHealth({ database }: Pick<ScanningOptions, 'database'>): HealthCheck {
  return {
    name: 'attachmentsScanning',
    async check() {
      const [row] = await database.read((db) =>
        db.execute<{ pending: number; failed: number }>(sql`
          select count(*)::int as pending,
            (count(*) filter (where scan_attempts >= ${reportedAttempts}))::int as failed
          from attachments.attachments
          where status = 'scanning'`),
      )
      const { pending = 0, failed = 0 } = row ?? {}
      const counts = { pendingCount: pending, failedCount: failed }
      if (failed === 0) return { status: 'Healthy', ...counts }
      return {
        status: 'Degraded',
        detail: 'The malware scanner fails for some files, which stay unavailable. See the log.',
        ...counts,
      }
    },
  }
}
