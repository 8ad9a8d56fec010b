import { css } from 'lit'

/** Styles of the bar for selected documents and its results. */
export const batchStyle = css`
  progress {
    inline-size: 8rem;
    block-size: 0.5rem;
    accent-color: var(--_accent);
  }
  ul {
    padding-inline-start: 1.25rem;
  }
  .banner {
    align-items: start;
  }
`
