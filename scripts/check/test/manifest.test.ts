import { expect, test } from 'vitest'
import { elementsOf, manifestOf, undocumentedNames } from '../../manifest/manifest.ts'

const base = `export abstract class StoreElement extends LitElement {
  static override properties = { session: { attribute: false } }
  /** The session. */
  declare session: Session | undefined
  store: object | null = null
  protected linkTo() { return html\`<a part="link"></a>\` }
}`

const list = `import { html } from 'lit'
import { row } from './row.ts'
import { StoreElement } from './store-element.ts'

/**
 * Shows a list.
 *
 * @tag vk-list
 * @fires {CustomEvent<string>} vk-opened - The user opens a row.
 * @slot empty - Replaces the text of an empty list.
 * @csspart list - The list.
 * @csspart row - Each row.
 * @csspart row-wrong - Each row with an error.
 */
export class List extends StoreElement {
  static override properties = { maxRows: { type: Number, attribute: 'max-rows' }, open: { attribute: false, state: true } }
  /** The limit of rows. */
  declare maxRows: number
  protected declare open: string
  constructor() {
    super()
    this.maxRows = 10
  }
  render() {
    return html\`<ul part="list">\${row(this.open)}</ul><slot name="empty"></slot>\`
  }
}`

const row = `export const row = (state: string) =>
  html\`<li part=\${state === 'failed' ? 'row row-wrong' : 'row'}></li>\``

const modulesOf = (changed: Readonly<Record<string, string>> = {}) =>
  new Map(
    Object.entries({
      'src/elements/store-element.ts': base,
      'src/elements/list.ts': list,
      'src/elements/row.ts': row,
      ...changed,
    }),
  )

const messages = (changed: Readonly<Record<string, string>>) =>
  undocumentedNames(modulesOf(changed)).map(({ path, message }) => `${path}: ${message}`)

test('the manifest contains the public members of the elements, and those of their base class', () => {
  const element = elementsOf(manifestOf(modulesOf())).get('vk-list')
  expect(element?.members.map(({ name }) => name)).toEqual(['maxRows', 'session'])
  expect(element?.attributes).toEqual([
    {
      name: 'max-rows',
      fieldName: 'maxRows',
      type: { text: 'number' },
      default: '10',
      description: 'The limit of rows.',
    },
  ])
  expect(element?.events.map(({ name, type }) => [name, type?.text])).toEqual([
    ['vk-opened', 'CustomEvent<string>'],
  ])
})

test('a part or slot of a template without a line in the docstring is reported', () => {
  expect(messages({})).toEqual([])
  const changed = list.replace('</ul>', '</ul><slot name="more"></slot>')
  expect(messages({ 'src/elements/list.ts': changed })).toEqual([
    'src/elements/list.ts: the docstring has no `@slot more`',
  ])
  expect(messages({ 'src/elements/row.ts': row.replace("'row'", "'row row-new'") })).toEqual([
    'src/elements/list.ts: the docstring has no `@csspart row-new`',
  ])
  expect(
    messages({ 'src/elements/list.ts': list.replace('return html', 'this.linkTo()\n    return html') }),
  ).toEqual(['src/elements/list.ts: the docstring has no `@csspart link`'])
})

test('a part of the docstring that no template contains is reported', () => {
  expect(messages({ 'src/elements/row.ts': row.replace(' row-wrong', '') })).toEqual([
    'src/elements/list.ts: no template contains `@csspart row-wrong`',
  ])
})
