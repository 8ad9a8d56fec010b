import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Conditions, GrowthResults, ProfileResults, TableResults } from './results.ts'
import { growthChart, growthSection, profileSection, tableSection } from './sections.ts'

const page = new URL('../../../docs/performance.md', import.meta.url)
const folder = new URL('../../../docs/performance/', import.meta.url)

const renderers = {
  table: (results: Conditions) => tableSection(results as TableResults),
  growth: (results: Conditions) => growthSection(results as GrowthResults),
  profile: (results: Conditions) => profileSection(results as ProfileResults),
}

/** The sections of the page with figures. Each has a JSON file with the same name. */
export type SectionName = keyof typeof renderers

/** Stores the results of a run in `docs/performance`, and creates the figures of the page again. */
export function publish(name: SectionName, results: Conditions): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(results, null, 2)}\n`)
  renderPage()
}

/** Writes the figures of the JSON files into the page, and draws the curves. */
export function renderPage(): void {
  writeFileSync(page, renderedPage())
  const growth = read('growth')
  if (growth !== undefined) writeFileSync(new URL('growth.svg', folder), growthChart(growth as GrowthResults))
}

/** Returns the text of the page with the figures of its JSON files. */
export function renderedPage(): string {
  let text = readFileSync(page, 'utf8')
  for (const name of Object.keys(renderers) as SectionName[]) {
    const results = read(name)
    if (results !== undefined) text = replaceSection(text, name, renderers[name](results))
  }
  return text
}

function read(name: SectionName): Conditions | undefined {
  const file = new URL(`${name}.json`, folder)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Conditions) : undefined
}

/**
 * Replaces the text between the markers of a section.
 * @throws {Error} when the page has no such markers
 */
export function replaceSection(text: string, name: string, content: string): string {
  const [start, end] = [`<!-- figures: ${name} -->`, `<!-- end of figures: ${name} -->`]
  const [from, to] = [text.indexOf(start), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`The page has no markers for the figures "${name}"`)
  return `${text.slice(0, from + start.length)}\n\n${content}\n\n${text.slice(to)}`
}
