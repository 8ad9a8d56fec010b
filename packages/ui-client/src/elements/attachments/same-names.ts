import { freeName } from '../../stores/file-names.ts'
import { shownName } from '../../stores/upload-state.ts'

/** The names of an object's files, and how new files relate to them. */
export interface KnownNames {
  /** Adds the name of a file. Returns false if it is already known. */
  add(file: File): boolean
  /** Returns copies of the files with a number in their names, so that no name exists twice. */
  number(files: readonly File[]): readonly File[]
}

/** Compares names like the service stores them. Some systems write `ü` as two characters, so it normalizes the names. */
export function knownNames(of: readonly { readonly fileName: string }[]): KnownNames {
  const known = new Set(of.map(({ fileName }) => fileName.normalize()))
  const stored = (name: string) => shownName(name).normalize()
  const isKnown = (name: string) => known.has(stored(name))
  return {
    add: ({ name }) => !isKnown(name) && known.add(stored(name)) === known,
    number: (files) =>
      files.map((file) => {
        const name = freeName(file.name, isKnown)
        known.add(stored(name))
        return new File([file], name, { type: file.type, lastModified: file.lastModified })
      }),
  }
}
