import { css } from 'lit'
import { markStyle } from '../parts/mark-style.ts'

/**
 * Styles of the Work Center: one column with the width of its container. In narrow containers, buttons wrap below. A count is
 * as wide as two digits, so that the tabs do not move when the counts are loaded.
 */
export const workCenterStyle = css`
  ${markStyle}
  [role='tablist'] {
    display: flex;
    flex-wrap: wrap;
    border-bottom: 1px solid var(--_line);
    background: var(--_ground);
  }
  :host([layout='drawer']) [role='tablist'] {
    position: sticky;
    top: 0;
    z-index: 1;
  }
  [role='tab'] {
    border: 0;
    border-bottom: 2px solid transparent;
    border-radius: 0;
    background: none;
    color: var(--_muted);
    overflow-wrap: anywhere;
  }
  [role='tab'][aria-selected='true'] {
    border-color: var(--_accent);
    color: var(--_text);
  }
  @media (forced-colors: active) {
    [role='tab'] {
      border-color: Canvas;
    }
    [role='tab'][aria-selected='true'] {
      border-color: Highlight;
    }
  }
  [role='tab']:focus-visible {
    outline-offset: -2px;
  }
  .count {
    display: inline-block;
    min-width: 2.25em;
    min-height: 1.5em;
    padding: 0 0.4em;
    border-radius: 1em;
    background: var(--_raised);
    color: var(--_muted);
    font-size: 0.8125em;
    font-variant-numeric: tabular-nums;
  }
  [aria-selected='true'] .count {
    background: var(--_accent-soft);
    color: var(--_accent);
  }
  [role='tabpanel'] {
    padding-top: 0.75rem;
  }
  .notice:empty {
    display: none;
  }
  [role='tabpanel']:focus {
    outline: none;
  }
  .filters {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 1rem;
    min-width: 0;
    margin: 0;
    padding: 0;
    border: 0;
  }
  .filters label {
    display: inline-flex;
    flex-wrap: wrap;
    max-width: 100%;
    align-items: center;
    gap: 0.375rem;
    min-height: 2rem;
  }
  .filters select,
  .filters input[type='search'] {
    min-width: 0;
    width: auto;
    padding: 0.25rem 0.375rem;
  }
  input[type='checkbox'] {
    width: 1.125rem;
    height: 1.125rem;
    accent-color: var(--_accent);
  }
  li {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.25rem 0.75rem;
    padding: 0.75rem 0.25rem;
    border-top: 1px solid var(--_line);
    --_row: var(--_ground);
    background: var(--_row);
  }
  li:hover {
    --_row: var(--_raised);
  }
  li.selected {
    --_row: var(--_accent-soft);
  }
  li:focus-visible {
    outline-offset: -2px;
  }
  .item {
    display: flex;
    flex: 1 1 20rem;
    align-items: start;
    gap: 0.75rem;
    min-width: 0;
  }
  .item > input {
    flex: none;
    margin: 0.4375rem 0;
  }
  .main {
    flex: 1;
    min-width: 0;
  }
  .about {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.125rem 0.5rem;
    overflow-wrap: anywhere;
  }
  .about > time:not(.mark) {
    flex: none;
    margin-inline-start: auto;
  }
  .bulk.bar {
    position: sticky;
    bottom: 0;
    padding-block: 0.25rem;
    background: var(--_ground);
  }
  .bulk label {
    display: inline-flex;
    align-items: center;
    gap: 0.375rem;
    min-height: 2rem;
  }
  .group {
    margin: 0.5rem 0 0;
    font-size: 0.875em;
    color: var(--_muted);
  }
  li:first-child {
    border-top: 0;
  }
  .item > .icon {
    display: grid;
    flex: none;
    place-items: center;
    width: 2rem;
    height: 2rem;
    border-radius: 50%;
    background: var(--_raised);
    color: var(--_muted);
  }
  .item > .icon svg {
    width: 1.375rem;
    height: 1.375rem;
  }
  li.unread .icon {
    background: var(--_accent-soft);
    color: var(--_accent);
  }
  .title,
  .source {
    overflow-wrap: anywhere;
  }
  li.unread .title {
    font-weight: 600;
  }
  .text {
    flex-basis: 100%;
  }
  .title .link {
    color: inherit;
    text-decoration: none;
  }
  .title .link:hover,
  .title .link:focus-visible {
    text-decoration: underline;
  }
  .mark.accent {
    background: var(--_accent-soft);
    color: var(--_accent);
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 0.375rem;
  }
  .bar {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
    min-height: 2.25rem;
  }
  .help {
    margin-inline-start: auto;
  }
  .chip {
    border-color: transparent;
    border-radius: 1em;
    background: var(--_accent-soft);
    color: var(--_accent);
  }
  summary {
    cursor: pointer;
    color: var(--_muted);
  }
  details .filters {
    padding-top: 0.5rem;
  }
  details[open] {
    flex-basis: 100%;
  }
  @media print {
    [role='tablist'],
    .filters,
    .bar,
    .buttons,
    .item > input,
    vk-list-end {
      display: none !important;
    }
  }
`
