import type { FileToScan, ScanFile, ScanVerdict } from '@vertical-kit/attachments'
import type { Worker } from '@vertical-kit/core-audit/host'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import type { ObjectStore } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import {
  type AttachmentsHost,
  type AttachmentsHostOptions,
  allPermissions,
  complete,
  expectJson,
  openAttachmentsHost,
  openStore,
  reserveAndPut,
} from '../harness.ts'

/** A file that the scanner has received, with all its bytes as text. */
export interface ScannedFile extends Omit<FileToScan, 'body'> {
  readonly text: string
}

/** A test host that scans uploads. */
export interface ScanBench extends AttachmentsHost {
  readonly store: ObjectStore
  readonly clerk: TestRequest
  readonly scanned: ScannedFile[]
  /** Returns the verdict about a scanned file. Tests replace it. */
  judge: (file: ScannedFile, signal: AbortSignal) => Promise<ScanVerdict>
  /** Scans the files that are due, and returns the logged lines. */
  scanDue(signal?: AbortSignal): Promise<readonly unknown[]>
  /** Reserves, sends and completes an upload of the clerk or another user, and returns its id. The file is then `scanning`. */
  upload(user?: TestRequest): Promise<string>
}

export const clean: ScanVerdict = { isClean: true }
export const infected: ScanVerdict = { isClean: false, finding: 'Eicar-Test-Signature' }

export async function openScanBench(
  options: Omit<AttachmentsHostOptions, 'store' | 'scanner'> & { readonly store?: ObjectStore } = {},
): Promise<ScanBench> {
  const store = options.store ?? (await openStore())
  const scanned: ScannedFile[] = []
  const scanner: ScanFile = async ({ body, ...file }, signal) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk)
    const received = { ...file, text: Buffer.concat(chunks).toString() }
    scanned.push(received)
    return bench.judge(received, signal)
  }
  const host = await openAttachmentsHost({ ...options, store, scanner })
  const clerk = await host.as({
    subject: 'clerk',
    name: 'Clara Clerk',
    permissions: [...allPermissions, 'system.audit.view'],
  })
  const bench: ScanBench = {
    ...host,
    store,
    clerk,
    scanned,
    judge: async () => clean,
    scanDue: (signal) => scanDue(scanWorker(host), signal),
    async upload(user = clerk) {
      const { attachment } = await reserveAndPut(user)
      await expectJson(await complete(user, attachment.id), 200)
      return attachment.id
    },
    async close() {
      await host.close()
      if (options.store === undefined) await store.close()
    },
  }
  return bench
}

/** Returns the worker that scans uploads. The test host does not run it. */
export function scanWorker({ attachments }: AttachmentsHost): Worker {
  const worker = attachments.workers?.find(({ name }) => name === 'attachments.scanning')
  if (worker === undefined) throw new Error('The host does not scan')
  return worker
}

/** Runs one cycle of the worker, and returns the logged lines. */
export async function scanDue(
  worker: Worker,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly unknown[]> {
  const lines: unknown[] = []
  const logger = { warn: (line: unknown) => lines.push(line) }
  await worker.runOnce(signal, logger as unknown as Parameters<Worker['runOnce']>[1])
  return lines
}

/** Makes a file due since some time, as if its pause or the claim of a dead host had passed. */
export async function makeDue({ database }: AttachmentsHost, id: string, since = '0 seconds'): Promise<void> {
  await database.statement((tx) =>
    tx.execute(sql`
      update attachments.attachments set scan_due_at = clock_timestamp() - ${since}::interval
      where id = ${id}::uuid and status = 'scanning'`),
  )
}

/** Runs the health check of the scans. */
export async function healthOf({ attachments }: AttachmentsHost): Promise<unknown> {
  const health = attachments.health?.find(({ name }) => name === 'attachmentsScanning')
  return health?.check(new AbortController().signal)
}
