/** A problem to fix and its place. */
export interface Finding {
  path: string
  line?: number
  message: string
}

/** Formats findings as lines `path:line: message`, sorted by path. Returns an empty text for no findings. */
export function formatFindings(findings: readonly Finding[]): string {
  return findings
    .toSorted((a, b) => a.path.localeCompare(b.path) || (a.line ?? 0) - (b.line ?? 0))
    .map(({ path, line, message }) => `${line === undefined ? path : `${path}:${line}`}: ${message}`)
    .join('\n')
}
