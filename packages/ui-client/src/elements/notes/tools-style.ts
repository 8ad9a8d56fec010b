import { css } from 'lit'

/** Styles of the tools around the text field of a note. */
export const toolsStyle = css`
  .wrong {
    color: var(--_danger);
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
