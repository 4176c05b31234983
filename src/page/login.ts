/** The login: keeps the view that was asked for. */
export {}
