export type RoomProps = {
  /** What the address says after the room, such as the id of a person. */
  rest: string
}
