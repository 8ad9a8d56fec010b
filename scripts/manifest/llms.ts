import { type Element, elementsOf, type Manifest, type Named } from './manifest.ts'

/** Describes the exports of each entry point. */
const entryPoints: Readonly<Record<string, string>> = {
  '.': '`createClient`, `KitError`, `isKitError`, and the types of all requests and answers',
  './stores':
    '`openSession`, the stores, and `createPagedList`, `openStore` and `outcome` for your own stores',
  './elements':
    '`defineElements` registers all elements except those for administrators; `setTexts`; `StoreElement`',
  './elements/administration': '`defineAdministrationElements`; load it only for administrators',
  './elements/attachments': '`defineAttachmentsElements`',
  './elements/audit-timeline': '`defineAuditTimelineElements`',
  './elements/document-actions': '`defineDocumentActionsElements`',
  './elements/feedback': '`defineFeedbackElements`',
  './elements/live-object': '`defineLiveObjectElements`',
  './elements/notes': '`defineNotesElements`',
  './elements/preferences': '`definePreferencesElements`',
  './elements/team': '`defineTeamElements`',
  './elements/work-center': '`defineWorkCenterElements`',
  './stores/administration': '`usersStore`, `rolesStore`, `outboxStore`, `systemStatusStore`',
  './react': 'types of all elements in JSX of React 19; import it once, for its effect on the types',
  './vue': 'types of all elements in templates of Vue; import it once, for its effect on the types',
  './uppy': '`uppyAwsS3Options` and `completeUppyUploads` connect Uppy to the uploads',
  './locales/de': '`de`, all texts in German',
  './locales/en': '`en`, the English texts of all elements',
  './locales/es': '`es`, all texts in Spanish',
  './locales/fr': '`fr`, all texts in French',
  './locales/it': '`it`, all texts in Italian',
  './locales/pl': '`pl`, all texts in Polish',
  './custom-elements.json':
    'the Custom Elements Manifest of all elements, for editors and documentation tools',
  './package.json': 'the version',
}

const guide = '../../docs/guides'

const introduction = `# @vertical-kit/ui-client

> The front end of an application with Vertical Kit: a typed client, headless stores, and custom elements for attachments,
> notes, document actions, the audit timeline, the Work Center and administration.

- Install \`@vertical-kit/ui-client\`, \`nanostores\`, and \`lit\` for the elements.
- \`const client = createClient({ baseUrl, accessToken })\`: \`accessToken\` returns the token of each request, or null.
- \`const session = openSession({ client, userId, hrefOf })\`: one session for each signed-in user. Call \`session.close()\` before
  you open another one, and \`await session.signOut()\` when the user signs out.
- Set \`session\` on each element as a property. Objects and functions are properties, never attributes. In Vue, write the names of
  properties in camelCase: with a hyphen, Vue sets an attribute.
- All events bubble and cross shadow roots. \`addEventListener\` knows the type of \`detail\`: it is \`KitEventMap[name]\`.
- Style elements with the custom properties \`--vk-…\` on an ancestor, and with \`::part(name)\`.

## Guides

- [Give your users a page](${guide}/front-end.md): sessions, stores, elements, theme, parts, slots, texts, security policy
- [Build your own lists and elements](${guide}/own-elements.md): the building blocks of stores and elements
- [Show files in your page](${guide}/open-files.md): open files safely instead of downloading them
- [README](README.md): exports, stores, errors and options
- [Custom Elements Manifest](custom-elements.json): this reference with descriptions, for tools
`

/** Returns the text of `llms.txt`: links to the guides, and the reference in one line for each element. */
export function llmsText(manifest: Manifest, exported: readonly string[]): string {
  const entries = exported.map((path) => {
    const about = entryPoints[path]
    if (about === undefined) throw new Error(`scripts/manifest/llms.ts has no description of ${path}`)
    return `- \`@vertical-kit/ui-client${path.slice(1)}\`: ${about}`
  })
  const elements = [...elementsOf(manifest).values()]
  return [
    introduction,
    `## Entry points\n\n${entries.join('\n')}\n`,
    `## Elements\n\n${elements.map(elementLine).join('\n')}\n`,
    `## Theme\n\nAll elements: ${codes(elements[0]?.cssProperties ?? [])}\n`,
  ].join('\n')
}

function elementLine({ tagName, description, ...element }: Element): string {
  const fields = element.members.filter(({ kind }) => kind === 'field')
  const methods = element.members.filter(({ kind }) => kind === 'method')
  const lists = {
    properties: fields.map(({ name, attribute, type }) => {
      const shown = attribute === undefined || attribute === name ? '' : ` (attribute ${attribute})`
      return `\`${name}: ${type?.text}\`${shown}`
    }),
    methods: methods.map(({ name }) => `\`${name}()\``),
    events: element.events.map(({ name, type }) => `\`${name}: ${type?.text}\``),
    slots: [codes(element.slots)],
    parts: [codes(element.cssParts)],
  }
  const shown = Object.entries(lists).filter(([, items]) => items.join('') !== '')
  const summary = /^.*?[.:](?=\s|$)/.exec(description)?.[0].replace(/[.:]$/, '')
  return `- \`<${tagName}>\`: ${[summary, ...shown.map(([name, items]) => `${name} ${items.join(', ')}`)].join('; ')}`
}

const codes = (items: readonly Named[]): string => items.map(({ name }) => `\`${name}\``).join(', ')
