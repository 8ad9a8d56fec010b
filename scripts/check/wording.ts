import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import type { Finding } from './finding.ts'

/** A pattern for text that is hard to read, with advice for a better text. */
interface Rule {
  readonly pattern: RegExp
  readonly advice: string
}

const rules: readonly Rule[] = [
  { pattern: /\bwhom\b/i, advice: 'name the person or the thing' },
  { pattern: /\bwho(so)?ever\b/i, advice: 'write "users who" or "the caller"' },
  { pattern: /\banew\b/i, advice: 'write "again"' },
  { pattern: /\bmeanwhile\b/i, advice: 'name the time: "during the scan", "since it was loaded"' },
  { pattern: /\bfor ever\b/i, advice: 'write "forever", "permanently" or "without a limit"' },
  { pattern: /\bnobody but\b/i, advice: 'write "only"' },
  { pattern: /\bmay everything\b/i, advice: 'write "has all permissions"' },
  { pattern: /^(Of|What|Who) [^?]*$/, advice: 'begin with a subject or a verb' },
]

/** A piece of prose and the line on which it begins. */
interface Prose {
  readonly text: string
  readonly line: number
}

const patterns = [
  '*.{md,ts}',
  '.changeset/*.md',
  'docs/**/*.md',
  '{packages,apps}/*/*.{md,ts}',
  '{packages,apps}/*/{src,test,web}/**/*.ts',
  '{benchmarks,examples,scripts}/**/*.ts',
]

/** Reads every file that contains our prose. */
export function readProse(root: string): ReadonlyMap<string, string> {
  const paths = globSync(patterns, { cwd: root, exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path) })
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

/** Finds prose that is hard to read in comments, test titles, texts of the user interface, and Markdown pages. */
export function wordingFindings(files: ReadonlyMap<string, string>): Finding[] {
  return [...files].flatMap(([path, content]) =>
    (path.endsWith('.md') ? proseOfPage(content) : proseOfSource(path, content)).flatMap(({ text, line }) =>
      sentencesOf(text).flatMap((sentence) =>
        rules
          .filter(({ pattern }) => pattern.test(sentence))
          .map(({ advice }) => ({ path, line, message: `"${excerptOf(sentence)}": ${advice}` })),
      ),
    ),
  )
}

function proseOfSource(path: string, content: string): Prose[] {
  const lineAt = (offset: number) => content.slice(0, offset).split('\n').length
  const { comments } = parseSync(path, content)
  const prose: { text: string; line: number; end: number }[] = []
  for (const { type, value, start, end } of comments) {
    const previous = prose.at(-1)
    // Adjacent line comments form one text.
    if (type === 'Line' && previous !== undefined && /^\s*$/.test(content.slice(previous.end, start))) {
      previous.text += ` ${value.trim()}`
      previous.end = end
    } else {
      prose.push({
        text: value.replaceAll(/^\s*\* ?/gm, ' '),
        line: lineAt(start),
        end: type === 'Line' ? end : -1,
      })
    }
  }
  const literals = isText(path) ? textLiteral : title
  for (const match of content.matchAll(literals)) {
    prose.push({ text: match[2] ?? '', line: lineAt(match.index), end: -1 })
  }
  return prose
}

/** Returns whether a file contains sentences for users. Such files have one of these names. */
const isText = (path: string): boolean => /\/(texts|errors)\.ts$/.test(path)
const textLiteral = /(['`])((?:(?!\1)[^\\\n]|\\.)* (?:(?!\1)[^\\\n]|\\.)*)\1/g
/** Matches the title of a test or a group. In a test with a table of cases, the title follows the table. */
const title = /(?:\b(?:test|it|describe)(?:\.\w+)?|\]\)|\bconst\))\(\s*(['"`])((?:(?!\1)[^\\]|\\.)*)\1/g

function proseOfPage(content: string): Prose[] {
  const prose: Prose[] = []
  let isCode = false
  for (const [index, text] of content.split('\n').entries()) {
    if (/^\s*(```|<!--|-->)/.test(text)) isCode = text.includes('```') ? !isCode : isCode
    else if (!isCode && !/^(#|\||---|>?\s*$)/.test(text)) {
      const previous = prose.at(-1)
      const isContinued =
        previous !== undefined && !/^\s*([-*]|\d+\.) /.test(text) && lastLineOf(previous) === index
      if (isContinued) prose[prose.length - 1] = { ...previous, text: `${previous.text}\n${text}` }
      else prose.push({ text: text.replace(/^\s*([-*]|\d+\.) /, ''), line: index + 1 })
    }
  }
  return prose
}

const lastLineOf = ({ text, line }: Prose): number => line + text.split('\n').length - 1

const sentencesOf = (text: string): string[] =>
  text
    .replaceAll(/`[^`]*`/g, '`…`')
    .replaceAll(/\s+/g, ' ')
    .split(/(?<=[.!?:])\s+|(?<=\.\*\*)\s+/)
    .map((sentence) => sentence.replace(/^[\s*_-]+/, '').trim())

const excerptOf = (sentence: string): string =>
  sentence.length > 60 ? `${sentence.slice(0, 60)}…` : sentence
