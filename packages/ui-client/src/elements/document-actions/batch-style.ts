import { css } from 'lit'

/** Styles of the bar for selected documents and its results. */
export const batchStyle = css`
  .row {
    flex-wrap: wrap;
    align-items: center;
  }
  ul {
    margin: 0;
    padding-inline-start: 1.25rem;
  }
  .banner {
    align-items: start;
  }
`
