import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

// The page. `pnpm demo` builds it from source into a folder of its own (src/page/build-page.ts).
export default defineConfig({
  root: fileURLToPath(new URL('./web', import.meta.url)),
  // Setting these replaces Vite's defaults.
  resolve: { conditions: ['@vertical-kit/source', 'module', 'browser', 'development|production'] },
  build: {
    outDir: fileURLToPath(new URL('./dist/web', import.meta.url)),
    emptyOutDir: true,
    // Nothing is inlined as a data: URL, which the page's policy would not let in.
    assetsInlineLimit: 0,
    // Every browser the page runs in preloads modules by itself.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
})
