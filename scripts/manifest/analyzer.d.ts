// The package has no types for these functions. `ts` is the TypeScript release that the analyzer works with.

declare module '@custom-elements-manifest/analyzer' {
  export const ts: {
    readonly ScriptTarget: { readonly ESNext: number }
    createSourceFile(path: string, text: string, target: number, setParentNodes: true): object
  }
  export function create(options: {
    readonly modules: readonly object[]
    readonly plugins: readonly object[]
  }): import('./manifest.ts').Manifest
}

declare module '@custom-elements-manifest/analyzer/src/features/framework-plugins/lit/lit.js' {
  export function litPlugin(): readonly object[]
}
