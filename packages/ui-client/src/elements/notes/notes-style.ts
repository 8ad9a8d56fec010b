import { css } from 'lit'

/** Styles of the notes panel, in addition to the theme. */
export const notesStyle = css`
  li {
    padding: 0.75rem 0;
    border-top: 1px solid var(--_line);
  }
  li:first-child {
    border-top: 0;
  }
  .text {
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .text.collapsed {
    display: -webkit-box;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 8;
    overflow: hidden;
  }
  .more {
    justify-self: start;
    padding-inline: 0;
    color: var(--_accent);
  }
  .author {
    font-weight: 600;
  }
  .row.end {
    justify-content: flex-end;
  }
  .buttons {
    min-height: 1.75rem;
  }
  label {
    display: grid;
    gap: 0.25rem;
    font-weight: 500;
  }
  label textarea {
    font-weight: 400;
  }
  .wrong {
    color: var(--_danger);
  }
  .mention {
    color: var(--_accent);
    font-weight: 600;
  }
  .text a {
    color: var(--_accent);
  }
  .picker {
    margin: 0;
    padding: 0.25rem;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    background: var(--_ground);
    list-style: none;
  }
  .picker li {
    padding: 0.375rem 0.5rem;
    border: 0;
    border-radius: var(--_radius);
    cursor: pointer;
  }
  .picker li[aria-selected='true'] {
    background: var(--_raised);
    outline: 2px solid var(--_accent);
  }
  .theirs {
    padding: 0.5rem 0.75rem;
    border-inline-start: 3px solid var(--_line);
    background: var(--_raised);
  }
`
