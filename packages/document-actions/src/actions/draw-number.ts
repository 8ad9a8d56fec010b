import { newId } from '@vertical-kit/core-audit'
import type { Document } from '../contract.ts'

/** Returns the number that `draw` draws, or a placeholder in a dry run. */
export type DrawNumber = (draw: () => Promise<string>) => Promise<string>

/** Draws numbers for an execution. */
export const drawNumber: DrawNumber = (draw) => draw()

/** Replaces the numbers of a dry run, because a number that was drawn from a sequence is lost after a rollback. */
export interface PlaceholderNumbers {
  /** Returns a unique placeholder and never calls `draw`. */
  readonly drawNumber: DrawNumber
  /** Returns the document with an empty number and without placeholders in its name. */
  without(document: Document): Document
}

export function placeholderNumbers(): PlaceholderNumbers {
  const given: string[] = []
  return {
    async drawNumber() {
      const placeholder = newId()
      given.push(placeholder)
      return placeholder
    },
    without(document) {
      const display = given.reduce((text, placeholder) => text.replaceAll(placeholder, ''), document.display)
      return { ...document, number: '', display: display.trim() }
    },
  }
}
