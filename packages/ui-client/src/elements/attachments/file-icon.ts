import { html, type SVGTemplateResult, svg, type TemplateResult } from 'lit'
import { icon } from '../parts/icons.ts'

const sheet = (glyph: SVGTemplateResult | string): TemplateResult =>
  icon(svg`<path d="M6 3h8l4 4v14H6zM14 3v4h4"/>${glyph}`)

/** The kinds of files, with a pattern for the declared content type or the extension, and the icon. */
const kinds: readonly (readonly [RegExp, TemplateResult])[] = [
  [
    /^image\/|^\.(png|jpe?g|gif|webp|avif|heic|svg|tiff?)$/,
    icon(svg`<path d="M4 5h16v14H4zM4 16l5-5 4 4 2-2 5 5M15 9h.01"/>`),
  ],
  [/pdf$/, sheet(svg`<path d="M10 18v-6h2a1.7 1.7 0 0 1 0 3.4h-2"/>`)],
  [/sheet|excel|\bcsv$|^\.(xlsx?|ods)$/, sheet(svg`<path d="M9 12h6v6H9zM12 12v6M9 15h6"/>`)],
  [/zip|compressed|\btar|^\.(7z|gz|rar)$/, sheet(svg`<path d="M11 4v2M12 7v2M11 10v2M10.5 15h3v3h-3z"/>`)],
  [/^(audio|video)\/|^\.(mp[34]|mov|wav|webm)$/, sheet(svg`<path d="M10 12l5 3-5 3z"/>`)],
  [/^text\/|word|opendocument.text|^\.(docx?|odt|rtf|md)$/, sheet(svg`<path d="M9 12h6M9 15h6M9 18h3"/>`)],
]

const other = sheet('')

/** Returns the extension of a file name with its dot, in lower case. */
export const extensionOf = (fileName: string): string => /\.[^.]*$/.exec(fileName)?.[0].toLowerCase() ?? ''

/** Renders the icon of a file's kind: the kind of its declared content type, otherwise of its extension. */
export function fileIcon({
  fileName,
  contentType,
}: {
  fileName: string
  contentType: string
}): TemplateResult {
  const iconOf = (text: string) => kinds.find(([pattern]) => pattern.test(text))?.[1]
  return html`<span class="kind muted">${iconOf(contentType) ?? iconOf(extensionOf(fileName)) ?? other}</span>`
}
