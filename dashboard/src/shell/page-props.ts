export type PageProps = {
  /** The rest of the URL after the page, such as the id of a person. */
  rest: string
}
