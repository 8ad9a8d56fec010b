/** One thing a reader must change, and where. */
export interface Finding {
  path: string
  line?: number
  message: string
}

/** One line per finding, `path:line: message`, in the order of the paths; empty when there is none. */
export function formatFindings(findings: readonly Finding[]): string {
  return findings
    .toSorted((a, b) => a.path.localeCompare(b.path) || (a.line ?? 0) - (b.line ?? 0))
    .map(({ path, line, message }) => `${line === undefined ? path : `${path}:${line}`}: ${message}`)
    .join('\n')
}
