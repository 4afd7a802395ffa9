/** Seats of licenses: the settings of licenses and generators, and what a license shows of them. */
export const seats = {
  title: 'Seats',
  field: {
    seat_ttl: 'Seat lapses after',
    match: 'Device recognized by',
    borrow_max_hours: 'Borrowing (hours)',
    reclaim_after_days: 'Reclaim after (days)',
    takeovers_per_month: 'Takeovers in 30 days',
  },
  hint: {
    seat_ttl:
      'A device that does not activate or validate for this long loses its seat (floating). 0: it keeps its seat until it is deactivated (node-locked).',
    match:
      'A device that activates again gets the seat that it has. Choose the label for programs that send no fingerprint.',
    borrow_max_hours: 'How long a device may hold a floating seat without a connection. 0 for not at all.',
    reclaim_after_days:
      'If no seat is free, a new device gets the seat of the least recently seen device, once that device has not been seen for this long. 0 for never.',
    takeovers_per_month:
      'How often in 30 days customers may take over the seat of the least recently seen device if none is free. 0 for never.',
  },
  unit: 'Unit',
  units: { second: 'seconds', minute: 'minutes', hour: 'hours', day: 'days' },
  match: { fingerprint: 'Fingerprint', label: 'Fingerprint, or else label' },
  nodeLocked: 'Node-locked',
  floating: 'Floating, lapse after {{time}}',
  borrowing: 'Can be borrowed for {{time}}',
  reclaim: 'Can be reclaimed after {{time}}',
  takeovers_one: '{{count}} takeover in 30 days',
  takeovers_other: '{{count}} takeovers in 30 days',
  byLabel: 'Same label means same device',
  /** Why an activation has ended. */
  endedAs: { deactivated: 'Deactivated', reclaimed: 'Reclaimed', lapsed: 'Lapsed', taken_over: 'Taken over' },
  endedNote: {
    reclaimed: 'Not seen for a long time: another device got its seat.',
    lapsed: 'The device did not validate in time. It gets a seat again if one is free.',
    taken_over: 'The customer moved the seat to another device.',
  },
};
