import { css } from 'lit'

/** Styles of the Work Center: one column with the width of its container. In narrow containers, buttons wrap below. */
export const workCenterStyle = css`
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
  }
  [role='tab'][aria-selected='true'] {
    border-color: var(--_accent);
    color: var(--_text);
  }
  [role='tab']:focus-visible {
    outline-offset: -2px;
  }
  .count {
    min-width: 1.5em;
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
    margin: 0;
    padding: 0;
    border: 0;
  }
  .filters label {
    display: inline-flex;
    align-items: center;
    gap: 0.375rem;
    min-height: 2rem;
  }
  .filters select,
  .filters input[type='search'] {
    width: auto;
    padding: 0.25rem 0.375rem;
  }
  input[type='checkbox'] {
    width: 1.125rem;
    height: 1.125rem;
    accent-color: var(--_accent);
  }
  li {
    display: grid;
    grid-template-columns: auto auto 1fr auto;
    gap: 0.25rem 0.75rem;
    padding: 0.75rem 0.25rem;
    border-top: 1px solid var(--_line);
  }
  li > input {
    margin: 0.4375rem 0;
  }
  .bulk label {
    display: inline-flex;
    align-items: center;
    gap: 0.375rem;
    min-height: 2rem;
  }
  .banner.plain {
    background: var(--_raised);
    color: var(--_text);
  }
  .group {
    margin: 0.5rem 0 0;
    font-size: 0.875em;
    color: var(--_muted);
  }
  li:first-child {
    border-top: 0;
  }
  li > .icon {
    display: grid;
    place-items: center;
    width: 2rem;
    height: 2rem;
    border-radius: 50%;
    background: var(--_raised);
    color: var(--_muted);
  }
  li > .icon svg {
    width: 1.375rem;
    height: 1.375rem;
  }
  li.unread > .icon {
    background: var(--_accent-soft);
    color: var(--_accent);
  }
  .title {
    overflow-wrap: anywhere;
  }
  li.unread .title {
    font-weight: 600;
  }
  .text {
    overflow-wrap: anywhere;
  }
  .marks {
    margin-top: 0.25rem;
    gap: 0.25rem 0.5rem;
  }
  .mark {
    padding: 0 0.4em;
    border-radius: calc(var(--_radius) / 2);
    background: var(--_raised);
    color: var(--_muted);
  }
  .mark.danger {
    background: var(--_danger-soft);
    color: var(--_danger);
  }
  .mark.warning {
    background: var(--_warning-soft);
    color: var(--_warning);
  }
  .mark.success {
    background: var(--_success-soft);
    color: var(--_success);
  }
  .mark.accent {
    background: var(--_accent-soft);
    color: var(--_accent);
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    justify-content: flex-end;
    align-content: start;
    gap: 0.375rem;
    max-width: 18rem;
  }
  li > .banner {
    grid-column: 1 / -1;
  }
  @container (width < 40rem) {
    li {
      grid-template-columns: auto auto 1fr;
    }
    .buttons {
      grid-column: 3;
      justify-content: flex-start;
      max-width: none;
    }
  }
`
