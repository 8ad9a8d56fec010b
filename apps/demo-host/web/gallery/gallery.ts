import { createClient } from '@vertical-kit/ui-client'
import { defineAdministrationElements } from '@vertical-kit/ui-client/elements/administration'
import { openSession, type Session } from '@vertical-kit/ui-client/stores'
import { html, render } from 'lit'
import { until } from './act.ts'
import { type AnsweringFetch, answerFrom, never } from './answers.ts'
import type { Scene } from './scene.ts'
import { scenes } from './scenes.ts'

/**
 * Shows the gallery instead of the demo: one scene, or the list of all scenes. The URL selects the look of a scene:
 * `?scene=notes-conflict&theme=dark&dir=rtl&width=320`. The elements, stores and client are those of every page. Only the
 * answers of the service come from the scene, so the gallery needs no sign-in and sends no request.
 */
export async function showGallery(): Promise<void> {
  defineAdministrationElements()
  const query = new URLSearchParams(location.search)
  const { dataset } = document.documentElement
  const theme = query.get('theme')
  if (theme === 'light' || theme === 'dark') dataset['theme'] = theme
  document.documentElement.dir = query.get('dir') === 'rtl' ? 'rtl' : 'ltr'
  const main = document.createElement('main')
  main.className = 'gallery'
  document.querySelector('demo-page')?.replaceWith(main)
  const scene = scenes.find(({ name }) => name === query.get('scene'))
  if (scene === undefined) return showList(main)
  await showScene(main, scene, Number(query.get('width') ?? 0))
}

function showList(main: HTMLElement): void {
  document.title = 'Gallery · Vertical Kit demo'
  const groups = [...Map.groupBy(scenes, ({ tag }) => tag)]
  render(
    html`<h1>Gallery</h1>
      <p>The elements of the kit in their states. Add <code>theme</code>, <code>dir</code> and <code>width</code> to the address.</p>
      ${groups.map(
        ([tag, ofTag]) => html`<h2><code>${tag}</code></h2>
          <ul>
            ${ofTag.map(({ name, title }) => html`<li><a href="/gallery?scene=${name}">${title}</a></li>`)}
          </ul>`,
      )}`,
    main,
  )
}

/** Shows one scene. Marks the page when the scene has its final state, or logs why it has not. */
async function showScene(main: HTMLElement, scene: Scene, widthPx: number): Promise<void> {
  document.title = `${scene.name} · Gallery`
  const answering = answerFrom(scene.answers)
  const session = await openCleanSession(answering)
  await scene.prepare(session)
  const element = scene.create(session)
  render(html`<h1>${scene.tag}</h1><h2>${scene.title}</h2><div class="scene"></div>`, main)
  const place = main.querySelector<HTMLElement>('.scene')
  // The content security policy allows styles that a script sets.
  if (widthPx > 0) place?.style.setProperty('inline-size', `${widthPx}px`)
  place?.append(element)
  try {
    await settled(element, answering)
    await scene.setup(element, session)
    await settled(element, answering)
    main.dataset['state'] = 'ready'
  } catch (error) {
    console.error(error)
    main.dataset['state'] = 'failed'
  }
}

/** Opens a session without drafts of an earlier scene. */
async function openCleanSession({ fetch }: AnsweringFetch): Promise<Session> {
  const client = createClient({ fetch, accessToken: () => 'gallery', wait: async () => {} })
  const options = {
    // The connection to the hub waits for its token, so the gallery never connects.
    client: { ...client, accessToken: never },
    userId: 'gallery',
    hrefOf: () => '/gallery',
    // Messages stay, and deletions are not sent.
    wait: never,
  }
  await openSession(options).signOut()
  return openSession(options)
}

/** Resolves when all answers have arrived and the element shows them. */
async function settled(
  element: { readonly updateComplete: Promise<boolean> },
  { openCount }: AnsweringFetch,
): Promise<void> {
  let quietFrames = 0
  await until('final state', () => {
    quietFrames = openCount() === 0 ? quietFrames + 1 : 0
    return quietFrames > 3
  })
  await element.updateComplete
}
