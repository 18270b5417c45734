"""Which results share memory with an array, which are copies, as in MXNet: at once, in cells."""

from __future__ import annotations

import pytest
from cells import Shell

# As MXNet has it: what shares memory with x, of shape (2, 3, 4), ...
SHARING = [
    "x[1]",
    "x[0:1]",
    "x[-1]",
    "x[1,2]",
    "x[1,1:3]",
    "x[1,2,1:3]",
    "x[1,2,3]",
    "x[...]",
    "x[:,:]",
    "x[None]",
    "x[:,None]",
    "x[0:1,1:2,0:2]",
    "x[:,0:3]",
    "x[0:2:2]",
    "x[1::-2]",
    "x.reshape((3,8))",
    "x.reshape((-1,))",
    "x.reshape((0,-1))",
    "x[0].reshape((-1,))",
    "x.reshape((3,8))[1]",
    "x[:]",
    "x[()]",
    "x.detach()",
]
# ... and what is a copy.
COPYING = [
    "x.T",
    "x[:,0]",
    "x[:,:,1]",
    "x[:,0:2]",
    "x[::-1]",
    "x[0:2,0:2]",
    "x[1,:,1]",
    "x[1,::2]",
    "x[...,1]",
    "x.transpose()",
    "x.transpose((0,1,2))",
    "x.swapaxes(0,1)",
    "x.flip(0)",
    "x.slice(begin=(0,),end=(1,))",
    "x.slice_axis(axis=0,begin=0,end=1)",
    "x.expand_dims(0)",
    "x.broadcast_to((2,3,4))",
    "x.flatten()",
    "x[0:1].squeeze(axis=0)",
    "x.T[0]",
    "x[0].T",
    "x.T.reshape((-1,))",
    "x.split(2,axis=0)[0]",
    "nd.reshape(x,shape=(3,8))",
    "nd.Flatten(x)",
    "nd.expand_dims(x,axis=0)",
    "nd.swapaxes(x,0,1)",
    "nd.flip(x,axis=0)",
    "nd.slice(x,begin=(0,),end=(2,))",
    "nd.slice_axis(x,axis=0,begin=0,end=2)",
    "nd.squeeze(x[0:1],axis=0)",
    "nd.BlockGrad(x)",
    "nd.broadcast_axes(x[0:1],axis=0,size=1)",
    "nd.moveaxis(x,0,1)",
]


@pytest.mark.parametrize("where", ["at once", "recording", "cell", "cell, made in it", "before"])
@pytest.mark.parametrize("shares", [True, False])
def test_what_shares_memory(where, shares):
    shell = Shell()
    shell.run("from jupyter_hybrid import autograd, nd\n")
    magic = "" if where in ("at once", "recording") else "%%hybridize --view none --force\n"
    setup = "x = nd.arange(24).reshape((2, 3, 4)).copy()\n"
    if where == "recording":
        setup += "x.attach_grad()\n"
    for expression in SHARING if shares else COPYING:
        made = f"y = {expression}\n"
        if where == "recording":
            made = f"with autograd.record():\n    {made}"
        for written, read in ("yx", "xy"):
            write = f"{written}[:] = 77\n"
            if where == "before":
                for text in (setup, magic + made, write):
                    shell.run(text)
            elif where == "cell, made in it":
                shell.run(magic + setup + made + write)
            else:
                shell.run(setup)
                shell.run(magic + made + write)
            shell.run(f"found = {read}.asnumpy()")
            assert (shell.ns["found"] == 77).any() == shares, (expression, written)


def test_what_a_cell_that_runs_again_leaves_shares_memory() -> None:
    shell = Shell()
    shell.run("from jupyter_hybrid import nd")
    for body in ("y = x.reshape((4,))", "z = x * 2\ny = z.reshape((4,))\nx = z"):
        for _ in range(3):
            shell.run("x = nd.ones((2, 2))")
            shell.hybridize(body, "--view none --force")
            shell.run("x[:] = 77\nfound = y.asnumpy()")
            assert (shell.ns["found"] == 77).all()


def test_blocks_give_copies() -> None:
    shell = Shell()
    shell.run("""
from jupyter_hybrid import gluon, nd
class Net(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.transpose(x), x.reshape((-1,)), F.flatten(x), x + 0
net = Net()
net.hybridize()
""")
    for magic in ("", "%%hybridize --view none\n"):
        for number in (0, 2, 3):
            shell.run("x = nd.ones((2, 2))")
            shell.run(f"{magic}y = net(x)[{number}]\ny[:] = 5")
            assert (shell.ns["x"].asnumpy() == 1).all()


def test_a_hybridized_block_gives_memory_of_its_own_in_cells_too():
    shell = Shell()
    shell.run(
        "from jupyter_hybrid import gluon, nd\n"
        "class Flat(gluon.HybridBlock):\n"
        "    def hybrid_forward(self, F, x):\n"
        "        return x.reshape((-1,)), [x.reshape((1, -1))]\n"
        "net = Flat()\nnet.hybridize()\nnet(nd.ones((2, 2)))"
    )
    for _ in range(3):
        shell.run("x = nd.ones((2, 2))")
        shell.hybridize("y, (z,) = net(x)\ny[:] = 5\nz[:] = 6", "--view none")
        assert shell.ns["x"].asnumpy().tolist() == [[1, 1], [1, 1]]
        assert shell.ns["y"].asnumpy().tolist() == [5] * 4
