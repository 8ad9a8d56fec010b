import { defineElements } from '@vertical-kit/ui-client/elements'
import { galleryPath } from '../src/page/page-routes.ts'
import { startApp } from './app.ts'
import { chosenLanguage, showLanguage } from './language.ts'
import { DemoPage } from './shell/demo-page.ts'

defineElements()
customElements.define('demo-page', DemoPage)

// A file that misses every drop area must not replace the page. Drop areas handle these events before the window.
for (const name of ['dragover', 'drop'] as const) {
  addEventListener(name, (event) => {
    if (event.defaultPrevented || event.dataTransfer?.types.includes('Files') !== true) return
    event.dataTransfer.dropEffect = 'none'
    event.preventDefault()
  })
}

// A held key presses only the button that had the focus at first, although the press can move the focus to another control. In a text
// of several lines, it adds lines.
addEventListener('keydown', (event) => {
  const isInText = event.composedPath()[0] instanceof HTMLTextAreaElement
  if (event.key === 'Enter' && event.repeat && !isInText) event.preventDefault()
})

if (location.pathname === galleryPath) {
  // Loaded only here, so that the page of the demo stays small.
  void import('./gallery/gallery.ts').then(({ showGallery }) => showGallery())
} else startDemo()

function startDemo(): void {
  const page = document.querySelector('demo-page')
  if (!(page instanceof DemoPage)) return
  Promise.all([startApp(), showLanguage(chosenLanguage())]).then(
    ([app]) => page.show(app),
    () => page.showFailure(),
  )
}
