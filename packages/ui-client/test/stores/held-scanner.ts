import type { ScanFile, ScanVerdict } from '@vertical-kit/attachments'

/** A malware scanner whose verdicts the test decides. */
export interface HeldScanner {
  readonly scan: ScanFile
  /** Ends the running and all later scans with this verdict, until `hold` is called. */
  decide(verdict: ScanVerdict): void
  /** Lets all later scans wait for a verdict. */
  hold(): void
}

export function createHeldScanner(): HeldScanner {
  let verdict = Promise.withResolvers<ScanVerdict>()
  return {
    async scan({ body }) {
      // The service accepts a verdict only after the scanner has read all bytes.
      for await (const _chunk of body);
      return verdict.promise
    },
    decide: (decided) => verdict.resolve(decided),
    hold() {
      verdict = Promise.withResolvers()
    },
  }
}
