/** What may stand in a header; kept beside the providers, which check once more what they write. */
export { checkHeaderText } from './providers/header-text.ts'
