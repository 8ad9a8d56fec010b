/** A completed upload. Its bytes cannot change any more, and nobody can download them yet. */
export interface FileToScan {
  readonly id: string
  readonly fileName: string
  /** The declared type, which nothing has verified. */
  readonly contentType: string
  readonly sizeBytes: number
  /** Yields the bytes once, at the pace of the scanner. Throws if the store does not send all of them. */
  readonly body: AsyncIterable<Uint8Array>
}

/** The result of a scan. `finding` names the malware for the audit log and the log, such as `Eicar-Test-Signature`. */
export type ScanVerdict = { readonly isClean: true } | { readonly isClean: false; readonly finding: string }

/**
 * Scans a file for malware. Must read the whole body before it resolves with `isClean: true`. A rejection means that the result
 * is unknown: the file stays unavailable and is scanned again later. `signal` aborts after `Attachments__ScanTimeout` and when
 * the host stops; the result of a scan that goes on is ignored.
 */
export type ScanFile = (file: FileToScan, signal: AbortSignal) => Promise<ScanVerdict>
