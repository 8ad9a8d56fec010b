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
  .mention {
    color: var(--_accent);
    font-weight: 600;
  }
  .text a {
    color: var(--_accent);
  }
`
