import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

// Vite builds the page with this configuration. `pnpm demo` sets another output folder (src/page/build-page.ts).
export default defineConfig({
  root: fileURLToPath(new URL('./web', import.meta.url)),
  // These conditions replace Vite's defaults.
  resolve: { conditions: ['@vertical-kit/source', 'module', 'browser', 'development|production'] },
  build: {
    outDir: fileURLToPath(new URL('./dist/web', import.meta.url)),
    emptyOutDir: true,
    // The page's content security policy blocks data: URLs, so Vite must not inline assets.
    assetsInlineLimit: 0,
    // The supported browsers. Safari on phones has a name of its own. For Vite's default, the build replaces `:dir()` by a list of
    // languages, which ignores `dir`.
    cssTarget: ['chrome123', 'firefox125', 'safari17.5', 'ios17.5'],
    // All supported browsers preload modules natively.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
})
