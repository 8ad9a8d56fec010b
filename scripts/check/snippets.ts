/** A checked block of a page: a module or a quotation of a file. */
export interface Snippet {
  /** The first line of the block on its page. */
  readonly line: number
  readonly text: string
}

/** A block that must compile as a module. */
export interface ModuleSnippet extends Snippet {
  /** The file name. A first line such as `// schema.ts` sets it. Other modules of the page import it by this name. */
  readonly name: string
}

/** A block that a file must contain exactly. */
export interface Quotation extends Snippet {
  readonly file: string
}

interface Block extends Snippet {
  readonly language: string
  /** The text of the HTML comment directly above the block. The rendered page does not show it. */
  readonly comment: string | undefined
  readonly commentLine: number
}

/**
 * Returns the modules of a page. Every `ts` or `tsx` block with an import is a module.
 *
 * - A block without an import is only a part of a program and is not checked.
 * - A comment `<!-- preamble` … `-->` directly above a block declares or imports names for it: `declare const tx: Tx`.
 * - A block inside a comment is also a module. The page does not show it, but other modules can import it.
 *
 * Each text keeps the line numbers of its page.
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

/** Returns the quotations of a page. Every block directly below a comment `<!-- from path/of/file.ts -->` is one. */
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
