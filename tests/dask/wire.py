"""A connection that can be cut."""

import socket
import threading
import time
from contextlib import suppress


class Wire:
    """Passes bytes on between a client and a scheduler, until it is cut."""

    def __init__(self, address):
        self.there = address.removeprefix("tcp://").rsplit(":", 1)
        self.pairs, self.down = [], False
        self.door = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def address(self):
        return f"tcp://127.0.0.1:{self.door.getsockname()[1]}"

    def _serve(self):
        while True:
            try:
                here, _ = self.door.accept()
            except OSError:
                return
            if self.down:
                here.close()
                continue
            there = socket.create_connection((self.there[0], int(self.there[1])))
            self.pairs.append((here, there))
            for pair in ((here, there), (there, here)):
                threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    def _pass_on(self, source, target):
        with suppress(OSError):
            while data := source.recv(1 << 16):
                target.sendall(data)
        for one in (source, target):
            one.close()

    def cut(self, seconds):
        self.down = True
        for pair in self.pairs:
            for one in pair:
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
        self.pairs.clear()
        time.sleep(seconds)
        self.down = False

    def close(self):
        self.door.close()
