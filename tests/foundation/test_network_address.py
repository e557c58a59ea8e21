"""The socket that servers listen on."""

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor

from rosenblatt.foundation.network_address import open_listener


def test_connections_send_each_part_of_an_answer_at_once():
    """Without TCP_NODELAY the second part waits until the client confirms the first, some 40 ms."""

    async def accepted_option():
        found = asyncio.get_running_loop().create_future()

        def accept(reader, writer):
            found.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listener = open_listener("127.0.0.1", 0, 0)
        async with await asyncio.start_server(accept, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname())
            option = await found
            writer.close()
            return option

    with ThreadPoolExecutor(1) as thread:  # after tests in a browser, this thread has a running loop
        assert thread.submit(asyncio.run, accepted_option()).result() != 0
