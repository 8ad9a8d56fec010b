/** A block of a page that is checked: a module, or a quotation of a file. */
export interface Snippet {
  /** The line of the page on which the block begins. */
  readonly line: number
  readonly text: string
}

/** A block that has to compile by itself. */
export interface ModuleSnippet extends Snippet {
  /** As its first line names it, such as `// schema.ts`; the page's other modules import it by this name. */
  readonly name: string
}

/** A block that has to be in a file word for word. */
export interface Quotation extends Snippet {
  readonly file: string
}

interface Block extends Snippet {
  readonly language: string
  /** The text of the HTML comment right above the block; readers of the page do not see it. */
  readonly comment: string | undefined
  readonly commentLine: number
}

/**
 * The modules of a page: every `ts` or `tsx` block that imports something.
 *
 * - A block without an import is a part of a program, and is not checked by itself.
 * - `<!-- preamble` … `-->` right above a block holds what it uses, such as `declare const tx: Tx`, and may import it.
 * - A block inside a comment is a module too: readers of the page do not see it, and other modules can import it.
 *
 * Each text has the line numbers of its page.
 */
export function modulesOf(page: string): readonly ModuleSnippet[] {
  return blocksOf(page).flatMap(({ language, line, text, comment = '', commentLine }) => {
    const [, preamble = ''] = /^preamble\n([\s\S]*)$/.exec(comment) ?? []
    if (!/^import /m.test(preamble + text)) return []
    const [, name = `line-${line}.${language}`] = /^\/\/ (\S+\.tsx?)\n/.exec(text) ?? []
    const above = preamble === '' ? '' : `${'\n'.repeat(commentLine)}${preamble}`
    const lines = above.split('\n').length - 1
    return [{ name, line, text: `${above}${'\n'.repeat(line - lines)}${text}` }]
  })
}

/** The quotations of a page: every block right below a comment `<!-- from path/of/file.ts -->`. */
export function quotationsOf(page: string): readonly Quotation[] {
  return blocksOf(page).flatMap(({ comment = '', line, text }) => {
    const [, file] = /^from (\S+)\s*$/.exec(comment) ?? []
    return file === undefined ? [] : [{ file, line, text }]
  })
}

const blockPattern = /(?:<!-- ((?:(?!-->)[\s\S])*)-->\n+)?^```(tsx?)\b[^\n]*\n([\s\S]*?)^```$/gm

function blocksOf(page: string): readonly Block[] {
  return [...page.matchAll(blockPattern)].map((match) => {
    const [all, comment, language = '', text = ''] = match
    const commentLine = lineAt(page, match.index)
    const line = lineAt(page, match.index + all.indexOf(`\`\`\`${language}`))
    return { language, text, comment, commentLine, line }
  })
}

const lineAt = (page: string, index: number): number => page.slice(0, index).split('\n').length
