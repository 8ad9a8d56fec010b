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
  .author {
    font-weight: 600;
  }
  .row.end {
    justify-content: flex-end;
  }
  label {
    display: grid;
    gap: 0.25rem;
    font-weight: 500;
  }
  label textarea {
    font-weight: 400;
  }
  .theirs {
    padding: 0.5rem 0.75rem;
    border-left: 3px solid var(--_line);
    background: var(--_raised);
  }
`
