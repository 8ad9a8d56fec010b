import { execFileSync } from 'node:child_process'
import type { Finding } from './finding.ts'

const maxChars = 72
const hook = 'scripts/hooks/commit-msg'

/** Imperatives that look like a past tense, a participle or a third person because of their ending. */
const imperatives = new Set([
  'Bring',
  'Embed',
  'Exceed',
  'Feed',
  'Focus',
  'Need',
  'Ping',
  'Proceed',
  'Seed',
  'Speed',
])

/**
 * Returns the problem of a commit subject, or undefined for a valid subject. Accepts git's subjects of merges and reverts.
 */
export function subjectProblem(subject: string): string | undefined {
  if (/^(Merge|Revert|fixup!|squash!) /.test(subject)) return undefined
  const [first = ''] = subject.split(' ')
  if (subject.length > maxChars) return `has ${subject.length} characters; the limit is ${maxChars}`
  if (!/^[A-Z][a-z]+$/.test(first)) return 'must begin with a verb and a capital letter'
  if (!imperatives.has(first) && /(ed|ing|[^s]s)$/.test(first)) return `must be imperative: not "${first} …"`
  if (subject.endsWith('.')) return 'must not end with a full stop'
  return undefined
}

/** Checks the commits after the hook was added. Checks nothing if the checkout does not contain that commit. */
export function commitFindings(root: string): Finding[] {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const since = git('log', '--diff-filter=A', '--format=%H', '-1', '--', hook)
  if (since === '') return []
  return git('log', '--format=%h %s', `${since}..HEAD`)
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const subject = line.slice(line.indexOf(' ') + 1)
      const problem = subjectProblem(subject)
      return problem === undefined ? [] : [{ path: line, message: `the subject ${problem}` }]
    })
}
